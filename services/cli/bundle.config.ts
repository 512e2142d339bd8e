/** How `scripts/bundle.mjs` makes one file of the command: everything in it but what Node itself has. */
export default {
  root: import.meta.dirname,
  publicDir: false,
  ssr: { noExternal: true },
  build: {
    ssr: 'src/main.ts',
    target: 'node24',
    // Declarations of types are there, too.
    emptyOutDir: false,
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      output: { entryFileNames: 'capstan.mjs', codeSplitting: false, banner: '#!/usr/bin/env node' },
    },
  },
}
