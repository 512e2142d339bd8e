import type { Plugin } from 'vite'

/** In production the server fills the placeholders of index.html; `npm run dev` fills them here. */
export function pagePlaceholders(): Plugin {
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
