/** Bundle settings for `scripts/bundle.mjs`: the command and its dependencies become one file. */
export default {
  root: import.meta.dirname,
  publicDir: false,
  ssr: { noExternal: true },
  build: {
    ssr: 'src/main.ts',
    target: 'node24',
    // The folder also holds the declarations of types, so keep its content.
    emptyOutDir: false,
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      output: { entryFileNames: 'capstan.mjs', codeSplitting: false, banner: '#!/usr/bin/env node' },
    },
  },
}
