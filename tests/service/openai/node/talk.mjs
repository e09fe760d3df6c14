// What the official client for Node sees of the agent at OPENAI_BASE_URL; printed as one line of JSON.
import OpenAI from "openai";

const client = new OpenAI({ maxRetries: 0 });
const model = "bank";
const messages = [{ role: "user", content: "one" }];

const models = [];
for await (const each of client.models.list()) models.push(each.id);

const whole = await client.chat.completions.create({ model, messages });
messages.push(whole.choices[0].message, { role: "user", content: "two" });

const stream = client.chat.completions.stream({ model, messages, stream_options: { include_usage: true } });
let streamed = "";
stream.on("content", (delta) => (streamed += delta));
const final = await stream.finalChatCompletion();

const errors = [];
for (const broken of [{ model: "nobody", messages }, { model, messages: [{ role: "assistant", content: "x" }] }, { model, messages, n: 2 }]) {
  try {
    await client.chat.completions.create(broken);
  } catch (error) {
    errors.push([error.constructor.name, error.status, error.code]);
  }
}

let broke = null;
try {
  for await (const chunk of await client.chat.completions.create({ model, messages: [{ role: "user", content: "fail" }], stream: true })) void chunk;
} catch (error) {
  broke = [error.constructor.name, error.code];
}

console.log(JSON.stringify({ models, whole: whole.choices[0].message.content, streamed, usage: final.usage, final: final.choices[0].message.content, errors, broke }));
