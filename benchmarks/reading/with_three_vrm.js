// Plays a VRMA file on an avatar of other proportions with pixiv's three-vrm-animation: FILE OUT. NODE_PATH has the
// folder node_modules. The limbs' directions are compared with those of the file's own bones.
const fs = require("fs");
const path = require("path");
const { pathToFileURL } = require("url");

const [file, out] = process.argv.slice(2);
const LIMBS = [["UpperArm", "LowerArm"], ["LowerArm", "Hand"], ["UpperLeg", "LowerLeg"], ["LowerLeg", "Foot"]]
  .flatMap((pair) => ["left", "right"].map((side) => pair.map((bone) => side + bone)));
const STRETCH = [1.3, 0.8, 1.1];

/** A package's ES module: its CommonJS build would bring a three of its own. */
const modules = (name, part) => import(pathToFileURL(path.join(path.dirname(require.resolve(name)), part)));

async function main() {
  const THREE = await modules("three", "three.module.js");
  const { GLTFLoader } = await modules("three", "../examples/jsm/loaders/GLTFLoader.js");
  const core = await modules("@pixiv/three-vrm-core", "three-vrm-core.module.js");
  const animations = await modules("@pixiv/three-vrm-animation", "three-vrm-animation.module.js");
  const warnings = [];
  console.warn = (...words) => warnings.push(words.join(" "));

  const loader = new GLTFLoader();
  loader.register((parser) => new animations.VRMAnimationLoaderPlugin(parser));
  const bytes = fs.readFileSync(file);
  const gltf = await loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), "");
  const animation = gltf.userData.vrmAnimations[0];
  const bones = Object.keys(gltf.parser.json.extensions.VRMC_vrm_animation.humanoid.humanBones);
  gltf.scene.updateMatrixWorld(true);

  // An avatar whose bones have rest rotations and lengths of their own.
  const nodes = {}, world = new THREE.Vector3();
  for (const name of bones) {
    const source = gltf.scene.getObjectByName(name), node = new THREE.Object3D();
    source.getWorldPosition(world);
    node.name = `avatar_${name}`;
    node.position.set(...world.toArray().map((value, axis) => value * STRETCH[axis]));
    node.quaternion.setFromEuler(new THREE.Euler(world.x, 2 * world.y, 1 + world.z));
    nodes[name] = { node };
  }
  const scene = new THREE.Group();
  for (const name of bones) {
    const above = gltf.scene.getObjectByName(name).parent.name;
    scene.add(nodes[name].node);
    scene.updateMatrixWorld(true);
    if (nodes[above]) nodes[above].node.attach(nodes[name].node);
  }
  scene.updateMatrixWorld(true);
  const humanoid = new core.VRMHumanoid(nodes);
  scene.add(humanoid.normalizedHumanBonesRoot);
  const vrm = { scene, humanoid, meta: { metaVersion: "1" }, expressionManager: null, lookAt: null };
  const mixers = [[scene, animations.createVRMAnimationClip(animation, vrm)], [gltf.scene, gltf.animations[0]]]
    .map(([root, clip]) => { const mixer = new THREE.AnimationMixer(root); mixer.clipAction(clip).play(); return mixer; });

  const at = (object) => object.getWorldPosition(new THREE.Vector3());
  const away = ([from, to]) => at(to).sub(at(from));
  let worst = 0, hips = 0;
  for (let step = 0; step <= 50; step++) {
    for (const mixer of mixers) mixer.setTime(animation.duration * 0.999 * step / 50);
    humanoid.update();
    scene.updateMatrixWorld(true);
    gltf.scene.updateMatrixWorld(true);
    for (const limb of LIMBS) {
      const theirs = away(limb.map((name) => nodes[name].node));
      worst = Math.max(worst, theirs.angleTo(away(limb.map((name) => gltf.scene.getObjectByName(name)))));
    }
    const scaled = at(gltf.scene.getObjectByName("hips")).multiplyScalar(STRETCH[1]);
    hips = Math.max(hips, scaled.distanceTo(at(nodes.hips.node)));
  }
  fs.writeFileSync(out, JSON.stringify({
    version: require("@pixiv/three-vrm-animation/package.json").version,
    names: [],
    rate: null,
    note: `${bones.length} humanoid bones, ${animation.duration.toFixed(2)} s; on an avatar of other proportions limbs ` +
      `point at most ${(worst * 180 / Math.PI).toFixed(2)} degrees away, hips at most ${(1000 * hips).toFixed(1)} mm; ` +
      `${warnings.length ? `warnings: ${warnings.join("; ")}` : "no warnings"}`,
  }));
}
main();
