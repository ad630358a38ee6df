// Checks a GLB file with Khronos' glTF validator: FILE OUT. NODE_PATH has the folder node_modules.
const fs = require("fs");
const path = require("path");
const validator = require("gltf-validator");

const [file, out] = process.argv.slice(2);
validator.validateBytes(new Uint8Array(fs.readFileSync(file))).then((report) => {
  const { numErrors, numWarnings, numInfos, numHints } = report.issues;
  const { animationCount, materialCount, totalVertexCount } = report.info;
  const codes = [...new Set(report.issues.messages.map((message) => message.code))].join(", ");
  fs.writeFileSync(out, JSON.stringify({
    version: validator.version(),
    names: [],
    rate: null,
    note: `${numErrors} errors, ${numWarnings} warnings, ${numInfos + numHints} hints${codes ? ` (${codes})` : ""}; ` +
      `${animationCount} animation, ${materialCount} material, ${totalVertexCount} vertices`,
  }));
});
