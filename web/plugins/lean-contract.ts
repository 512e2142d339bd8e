import { fileURLToPath } from 'node:url'
import type { Operation } from '@capstan/contract/operation'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { Plugin } from 'vite'

/** What the browser needs of a call: address, method and upload field. The shapes stay behind as types. */
const lean = (call: Operation) => ({
  method: call.method,
  path: call.path,
  ...(call.upload && { upload: call.upload }),
  ...(call.download && { download: call.download }),
})

/**
 * Answers `@capstan/contract/operations` with the addresses alone, so that no schema library reaches the browser.
 * Types come from the contract itself; at run time `body`, `query`, `params` and `response` of a call are absent.
 */
export function leanContract(): Plugin {
  const source = fileURLToPath(import.meta.resolve('@capstan/contract/operations'))
  return {
    name: 'capstan-lean-contract',
    enforce: 'pre',
    load(id) {
      if (id.split('?')[0] !== source) return null
      this.addWatchFile(source)
      const code = Object.entries({ operations, ownOperations }).map(([name, table]) => {
        const entries = Object.entries<Operation>(table).map(([call, operation]) => [call, lean(operation)])
        return `export const ${name} = ${JSON.stringify(Object.fromEntries(entries))}`
      })
      return { code: code.join('\n'), map: null, moduleType: 'js' }
    },
  }
}
