module.exports = [{files: ['loose.js'], rules: {eqeqeq: 'error', 'no-undef': 'error', 'no-var': 'warn'}}];
