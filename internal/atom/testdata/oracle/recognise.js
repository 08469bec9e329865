// Reads one JSON object {text, culture} a line, and writes for each the values
// that Microsoft's recognizers-text-suite finds, as one JSON list a line:
// {model, text, start, end, values: [...]}. Run with NODE_PATH set to a folder
// that has @microsoft/recognizers-text-suite@1.3.1.
const R = require("@microsoft/recognizers-text-suite");
const reference = new Date(2026, 10, 30);
const models = {
  number: (t, c) => R.recognizeNumber(t, c),
  ordinal: (t, c) => R.recognizeOrdinal(t, c),
  percent: (t, c) => R.recognizePercentage(t, c),
  money: (t, c) => R.recognizeCurrency(t, c),
  dimension: (t, c) => R.recognizeDimension(t, c),
  temperature: (t, c) => R.recognizeTemperature(t, c),
  age: (t, c) => R.recognizeAge(t, c),
  date: (t, c) => R.recognizeDateTime(t, c, 0, reference),
};
const lines = require("fs").readFileSync(0, "utf8").split("\n").filter(Boolean);
for (const line of lines) {
  const { text, culture } = JSON.parse(line);
  const out = [];
  for (const [model, run] of Object.entries(models)) {
    let found;
    try { found = run(text, culture); } catch { continue; }
    for (const r of found) {
      const values = r.resolution && r.resolution.values
        ? r.resolution.values.map((v) => [v.timex, v.value, v.start, v.end].filter(Boolean).join(" "))
        : [[r.resolution && r.resolution.value, r.resolution && r.resolution.unit].filter(Boolean).join(" ")];
      out.push({ model, text: r.text, start: r.start, end: r.end + 1, values });
    }
  }
  console.log(JSON.stringify(out));
}
