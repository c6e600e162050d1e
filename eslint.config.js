import neostandard, { plugins } from 'neostandard'

export default [
  ...neostandard({ ts: true, ignores: ['dist', 'coverage', '.cache', '.tap'] }),
  { rules: { '@stylistic/max-len': ['error', { code: 120, ignoreUrls: true }] } },
  {
    files: ['**/*.ts'],
    plugins: { '@typescript-eslint': plugins['typescript-eslint'].plugin },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }]
    }
  },
  {
    files: ['test/**/*.ts'],
    ignores: ['test/fixtures/property.ts'],
    rules: {
      'no-restricted-imports': ['error', { name: 'fast-check', message: 'Import it from test/fixtures/property.ts.' }]
    }
  }
]
