"""The doors: what a user imports is written out by hand, and is really there."""

import ast
import importlib

import pytest

from tests.architecture.tree import PACKAGE, parsed

DOORS = ("handrail", "handrail.guards", "handrail.models")


def _body(door: str) -> list[ast.stmt]:
    path = PACKAGE.joinpath(*door.split(".")[1:]) / "__init__.py"
    return parsed(path).body


def _imported(body: list[ast.stmt]) -> list[str]:
    return [alias.asname or alias.name for node in body if isinstance(node, ast.ImportFrom) for alias in node.names]


@pytest.mark.parametrize("door", DOORS)
def test_a_door_holds_a_docstring_imports_by_name_and_all_and_nothing_else(door: str) -> None:
    docstring, *rest = _body(door)
    assert isinstance(docstring, ast.Expr) and isinstance(docstring.value, ast.Constant)
    assert rest, "a door without names lets nobody in"
    for node in rest[:-1]:
        assert isinstance(node, ast.ImportFrom), ast.unparse(node)
        assert node.module is not None and node.module.startswith("handrail."), ast.unparse(node)
        assert all(alias.name != "*" and alias.asname in (None, alias.name) for alias in node.names), ast.unparse(node)
    assert isinstance(rest[-1], ast.Assign) and ast.unparse(rest[-1].targets[0]) == "__all__"


@pytest.mark.parametrize("door", DOORS)
def test_a_door_offers_exactly_what_it_imports_and_each_name_is_there(door: str) -> None:
    module = importlib.import_module(door)
    offered = module.__all__
    assert len(offered) == len(set(offered))
    assert set(offered) == set(_imported(_body(door)))
    assert [name for name in offered if not hasattr(module, name)] == []
