import type { Plugin } from 'vite'

/** Fills the placeholders of index.html for `npm run dev`. In production the server fills them. */
export function fillPagePlaceholders(): Plugin {
  return {
    name: 'capstan-page-placeholders',
    apply: 'serve',
    transformIndexHtml: {
      order: 'post',
      handler: (html) =>
        html
          .replaceAll('%title%', 'Capstan')
          .replaceAll('%description%', 'Capture the flag')
          .replaceAll('%repository%', '')
          .replaceAll('%config%', 'null')
          .replaceAll('%nonce%', 'development'),
    },
  }
}
