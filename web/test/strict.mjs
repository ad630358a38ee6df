// Constants of numbers.json that throw where a name is not among them, for tests: undefined would count on silently.

const strict = (values, where) => new Proxy(values, {
  get(target, name) {
    if (typeof name === "string" && !Object.hasOwn(target, name)) throw new Error(`numbers.json has no ${where}.${name}`);
    return target[name];
  },
});

/** The facts of numbers.json with such constants. */
export const strictFacts = (facts) => {
  const modules = Object.entries(facts.constants).map(([module, values]) => [module, strict(values, `constants.${module}`)]);
  return { ...facts, constants: strict(Object.fromEntries(modules), "constants") };
};
