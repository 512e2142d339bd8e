/** Settings of `scripts/bundle.mjs`, which bundles the command and its dependencies into one file. */
export default {
  root: import.meta.dirname,
  publicDir: false,
  ssr: { noExternal: true },
  build: {
    ssr: 'src/main.ts',
    target: 'node24',
    // Do not empty the folder, because it also contains type declarations.
    emptyOutDir: false,
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      output: { entryFileNames: 'capstan.mjs', codeSplitting: false, banner: '#!/usr/bin/env node' },
    },
  },
}
