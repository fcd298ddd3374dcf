const isConstructor = (node) => node.parent?.type === 'MethodDefinition' && node.parent.kind === 'constructor';

/** Four parameters, then an object; a constructor that Nest calls takes up to six dependencies. */
const maxParams = {
  meta: {
    schema: [
      { type: 'object', properties: { functions: { type: 'integer' }, constructors: { type: 'integer' } }, additionalProperties: false },
    ],
  },
  create(context) {
    const { functions, constructors } = context.options[0];
    const check = (node) => {
      const max = isConstructor(node) ? constructors : functions;
      const count = node.params.length;
      if (count > max)
        context.report({ node, message: `${count} parameters, and ${max} are allowed: pass an object, or split what it does.` });
    };
    return { FunctionDeclaration: check, FunctionExpression: check, ArrowFunctionExpression: check };
  },
};

const plugin = { meta: { name: 'slipway' }, rules: { 'max-params': maxParams } };
export default plugin;
