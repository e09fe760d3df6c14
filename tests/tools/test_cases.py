"""The rows of the fault corpus that are about arguments. Running is in `test_running.py`, results in `test_encoding.py`."""

import json
from datetime import date
from typing import Annotated, Any

import pytest
from jsonschema_rs import meta
from pydantic import Field

from handrail.tools import Returned, Tool, ToolContext, tool
from tests.tools.kit import CONTEXT, Node, Payment, fitting, lookup_orders, parameters, ping, reason, weather


@tool(effect="write", repair=True)
async def save(tags: list[str], body: str = "", either: str | list[str] = "", shape: dict[str, int] | None = None) -> str:
    """Save a text under tags."""
    return body


@tool(effect="write")
async def save_strictly(tags: list[str], body: str = "") -> str:
    """Save a text under tags."""
    return body


@tool(effect="read", repair=True)
async def grid(rows: list[list[int]]) -> int:
    """A grid of numbers."""
    return len(rows)


@tool(effect="read", repair=True)
async def double(n: int) -> int:
    """Twice the number."""
    return 2 * n


@tool(effect="read")
async def record(id: int, ratio: float = 0.0) -> int:
    """The record with that id."""
    return id


@tool(effect="read")
async def find(name: str | None = None, since: date | None = None, n: int = 5) -> list[Any]:
    """Find things."""
    return [name, since, n]


@tool(effect="write")
async def remove_lines(path: str) -> str:
    """Take the empty lines out of a file."""
    return path


@tool(effect="write")
async def pay(payment: Payment, note: str = "") -> str:
    """Pay."""
    return note


@tool(effect="read")
async def walk(root: Node) -> int:
    """Walk over a tree."""
    return root.v


ABSENCES = [None, "", " ", "\n\t"]


@pytest.mark.parametrize("arguments", ABSENCES)
def test_case_01_a_tool_without_arguments_takes_absence_as_an_empty_object(arguments: str | None) -> None:
    assert fitting(ping.parse(arguments)).canonical == "{}"


@pytest.mark.parametrize("arguments", ABSENCES)
def test_case_01_absence_is_validated_like_an_empty_object(arguments: str | None) -> None:
    assert reason(weather.parse(arguments)) == "city is required"


@pytest.mark.parametrize("arguments", ["[1]", '"x"', "7", "true", '"null"', "null", "1.5", "[]"])
def test_case_02_json_that_is_no_object_is_refused(arguments: str) -> None:
    assert reason(weather.parse(arguments)).startswith("JSON object expected")


def test_case_02_broken_json_is_never_an_empty_object() -> None:
    for tool_ in (ping, weather):
        said = reason(tool_.parse('{"sql":"select "a""}'))
        assert "not valid JSON" in said and "character 17" in said and "select" in said


def test_case_02_null_counts_as_nothing_only_where_nothing_can_be_lost() -> None:
    assert fitting(ping.parse("null")).canonical == "{}"
    assert reason(lookup_orders.parse("null")) == "JSON object expected as the arguments of lookup_orders, not null"
    assert reason(find.parse("null")).startswith("JSON object expected")


def test_case_02_what_is_quoted_of_the_arguments_is_bounded() -> None:
    for arguments in ('"' + "x" * 100_000 + '"', "[" + "1," * 50_000 + "1]", "x" * 100_000, '{"a":' + "y" * 100_000):
        assert len(reason(weather.parse(arguments))) <= 800


def test_case_03_an_object_inside_a_text_is_taken_out_once_where_repair_is_allowed() -> None:
    once = json.dumps({"n": 2})
    twice = json.dumps(once)
    assert fitting(double.parse(twice)).canonical == '{"n":2}'
    assert reason(double.parse(json.dumps(twice))).startswith("JSON object expected")


@pytest.mark.parametrize("inside", ["[1]", "7", "null", '"x"', "not json", '{"n":2,"n":3}', '{"n":NaN}'])
def test_case_03_a_text_with_anything_but_one_good_object_inside_is_refused(inside: str) -> None:
    assert reason(double.parse(json.dumps(inside))).startswith("JSON object expected")


def test_case_03_without_repair_nothing_is_taken_out_of_a_text() -> None:
    assert reason(weather.parse(json.dumps('{"city":"Oslo"}'))).startswith("JSON object expected")


def test_case_03_what_is_kept_is_one_single_encoded_object() -> None:
    for arguments in ('{"n": 2}', ' { "n" : 2.0 } ', json.dumps('{"n": 2}')):
        assert json.loads(fitting(double.parse(arguments)).canonical) == {"n": 2}


def test_case_04_a_list_as_json_text_is_decoded_where_repair_is_allowed() -> None:
    assert fitting(save.parse(json.dumps({"tags": '["a","b"]'}))).values == {"tags": ["a", "b"]}


@pytest.mark.parametrize("body", ['{"k":1}', "12345", "true", "null", '["a"]', " [1] ", '"quoted"'])
def test_case_04_a_text_that_looks_like_json_stays_as_it_is_where_a_text_is_wanted(body: str) -> None:
    assert fitting(save.parse(json.dumps({"tags": [], "body": body}))).values["body"] == body
    assert fitting(save.parse(json.dumps({"tags": "[]", "body": body}))).values["body"] == body


def test_case_04_a_text_that_is_no_json_is_a_validation_error() -> None:
    assert reason(save.parse('{"tags":"oops"}')) == "tags must be a list, not 'oops'"


def test_case_04_a_union_that_admits_text_keeps_the_text() -> None:
    assert fitting(save.parse('{"tags":"[]","either":"[\\"a\\"]"}')).values["either"] == '["a"]'


def test_case_04_a_union_without_text_is_decoded_too() -> None:
    assert fitting(save.parse('{"tags":[],"shape":"{\\"a\\":1}"}')).values["shape"] == {"a": 1}


def test_case_04_only_the_kind_that_is_wanted_is_decoded() -> None:
    assert reason(save.parse('{"tags":"{\\"a\\":1}"}')) == """tags must be a list, not '{"a":1}'"""
    assert reason(save.parse('{"tags":"7"}')) == "tags must be a list, not '7'"


def test_case_04_one_level_is_decoded_and_no_more() -> None:
    twice = json.dumps(json.dumps(["a"]))
    assert "tags must be a list" in reason(save.parse(json.dumps({"tags": twice})))
    inside = json.dumps([json.dumps(["a"])])
    assert fitting(save.parse(json.dumps({"tags": inside}))).values == {"tags": ['["a"]']}


def test_case_04_what_is_inside_a_decoded_text_is_not_decoded_again() -> None:
    assert fitting(grid.parse('{"rows":["[1]",[2]]}')).values == {"rows": [[1], [2]]}
    assert reason(grid.parse(json.dumps({"rows": json.dumps(["[1]"])}))) == "rows.0 must be a list, not '[1]'"


def test_case_04_without_repair_a_list_as_text_is_an_error() -> None:
    assert reason(save_strictly.parse('{"tags":"[]"}')) == "tags must be a list, not '[]'"


def test_case_07_an_integral_number_is_an_integer_and_reaches_the_tool_as_one() -> None:
    parsed = fitting(record.parse('{"id":140.0}'))
    assert parsed.canonical == '{"id":140}'
    assert type(parsed.values["id"]) is int


@pytest.mark.parametrize(
    "value", ['"140.0"', '"140"', "140.5", '"1234567890123456789"', "1e22", "9007199254740994.0", "true", "false", "null", '""', "[1]"]
)
def test_case_07_what_is_no_integer_is_refused_by_name(value: str) -> None:
    assert reason(record.parse(f'{{"id":{value}}}')).startswith("id")


@pytest.mark.parametrize("value", ["1234567890123456789", "-9223372036854775809", "9007199254740993", "1" + "0" * 60])
async def test_case_07_a_long_integer_is_exact_from_end_to_end(value: str) -> None:
    parsed = fitting(record.parse(f'{{"id":{value}}}'))
    assert parsed.values["id"] == int(value)
    assert parsed.canonical == f'{{"id":{value}}}'
    assert await record.run(parsed.canonical, CONTEXT) == Returned(content=value)


def test_case_07_a_number_of_five_thousand_digits_is_a_clear_error() -> None:
    said = reason(record.parse('{"id":' + "7" * 5000 + "}"))
    assert said == "the number 777777777777... has 5000 digits; at most 100 are taken"


@pytest.mark.parametrize("value", ['"1"', "true", '"1_000"'])
def test_case_07_a_number_is_never_taken_from_a_text_or_a_boolean(value: str) -> None:
    assert reason(record.parse(f'{{"id":1,"ratio":{value}}}')).startswith("ratio must be a number")


async def test_case_07_an_integer_is_a_number_and_reaches_the_tool_as_a_float() -> None:
    seen: list[float] = []

    @tool(effect="read")
    async def scale(by: float) -> None:
        """Scale it."""
        seen.append(by)

    await scale.run(fitting(scale.parse('{"by":2}')).canonical, CONTEXT)
    assert seen == [2.0] and type(seen[0]) is float


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e400", "-1e400"])
def test_case_08_a_number_that_is_not_finite_is_refused_by_field(value: str) -> None:
    assert reason(record.parse(f'{{"id":1,"ratio":{value}}}')).startswith("ratio must be a finite number")
    assert reason(walk.parse(f'{{"root":{{"v":1,"kids":[{{"v":{value}}}]}}}}')).startswith("root.kids.0.v must be a finite number")


async def _ran(of: Tool, arguments: str | None) -> Any:
    returned = await of.run(fitting(of.parse(arguments)).canonical, CONTEXT)
    assert isinstance(returned, Returned)
    return json.loads(returned.content)


@pytest.mark.parametrize("arguments", [None, "{}", '{"name":null}', '{"since":null}', '{"name":null,"since":null}'])
async def test_case_09_null_is_absence_where_the_declaration_admits_null(arguments: str | None) -> None:
    assert await _ran(find, arguments) == [None, None, 5]


@pytest.mark.parametrize("text", ["null", "None", ""])
async def test_case_09_words_for_nothing_are_kept_where_a_text_is_wanted(text: str) -> None:
    assert await _ran(find, json.dumps({"name": text})) == [text, None, 5]


@pytest.mark.parametrize("key", ["since", "n"])
@pytest.mark.parametrize("text", ["null", "None", ""])
def test_case_09_words_for_nothing_are_errors_where_no_text_is_wanted(key: str, text: str) -> None:
    said = reason(find.parse(json.dumps({key: text})))
    assert said.startswith(key) and repr(text) in said


def test_case_09_null_is_an_error_where_the_declaration_does_not_admit_it() -> None:
    assert reason(find.parse('{"n":null}')) == "n must be an integer, not null"
    assert "status must be" in reason(lookup_orders.parse('{"customer_email":"a","status":null}'))


def test_case_10_an_invented_key_is_an_error_that_lists_the_valid_ones() -> None:
    assert reason(weather.parse('{"city":"Oslo","why":"asked"}')) == "'why' is no key of weather; valid keys: 'city'"
    assert "'dry_run' is no key of remove_lines" in reason(remove_lines.parse('{"path":"a","dry_run":true}'))
    assert reason(ping.parse('{"x":1}')) == "'x' is no key of ping; it takes none"


@pytest.mark.parametrize("key", ["ctx", "context", "call_id", "run_id", "deps", "self", "argument_0"])
def test_case_10_what_is_injected_can_never_be_set_by_the_model(key: str) -> None:
    from_outside = json.dumps({"city": "Oslo", key: {}})

    @tool(effect="read")
    async def here(city: str, ctx: ToolContext[None]) -> str:
        """The weather here."""
        return city

    assert f"{key!r} is no key of here; valid keys: 'city'" in reason(here.parse(from_outside))


def test_case_10_an_invented_key_inside_a_nested_object_is_found_too() -> None:
    assert reason(walk.parse('{"root":{"v":1,"kids":[{"v":2,"w":3}]}}')) == "'w' is no key in root.kids.0; valid keys: 'v', 'kids'"


@pytest.mark.parametrize("of", [weather, pay, walk])
def test_case_11_every_declaration_is_a_valid_schema_without_one_of_titles_or_discriminators(of: Tool) -> None:
    schema = parameters(of)
    meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})
    text = json.dumps(schema)
    assert all(f'"{word}"' not in text for word in ("oneOf", "discriminator", "title"))


def test_case_11_the_branches_of_a_union_and_recursion_stay_in_the_declaration() -> None:
    assert parameters(pay)["properties"]["payment"] == {"anyOf": [{"$ref": "#/$defs/Card"}, {"$ref": "#/$defs/Transfer"}]}
    assert set(parameters(pay)["$defs"]) == {"Card", "Transfer"}
    assert parameters(walk)["$defs"]["Node"]["properties"]["kids"]["items"] == {"$ref": "#/$defs/Node"}


@pytest.mark.parametrize(
    ("payment", "said"),
    [
        ('{"by":"card"}', "payment.number is required"),
        ('{"by":"wire","iban":7}', "payment.iban must be a string, not 7"),
        ('{"by":"cash"}', "payment.by must be one of 'card', 'transfer', 'wire', not 'cash'"),
        ('{"number":"1"}', "payment.by is required"),
        ('"card"', "payment must be an object, not 'card'"),
        ('{"by":"card","number":"1","iban":"x"}', "'iban' is no key in payment; valid keys: 'by', 'number'"),
    ],
)
def test_case_11_an_error_in_a_discriminated_union_is_about_the_branch_that_was_meant(payment: str, said: str) -> None:
    assert reason(pay.parse(f'{{"payment":{payment}}}')) == said


def test_case_11_a_recursive_value_runs_to_the_bound_of_depth_and_no_further() -> None:
    def nested(levels: int) -> str:
        return '{"root":' + '{"v":1,"kids":[' * levels + '{"v":1}' + "]}" * levels + "}"

    assert fitting(walk.parse(nested(31))).values
    assert "nested too deeply" in reason(walk.parse(nested(32)))
    assert "nested too deeply" in reason(walk.parse(nested(10_000)))


def test_case_11_a_pattern_field_is_kept() -> None:
    @tool(effect="read")
    async def book(isbn: Annotated[str, Field(pattern="^[0-9]{13}$")]) -> str:
        """A book."""
        return isbn

    assert reason(book.parse('{"isbn":"x"}')) == "isbn must match the pattern '^[0-9]{13}$', not 'x'"
