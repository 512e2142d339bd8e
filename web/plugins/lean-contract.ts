import { fileURLToPath } from 'node:url'
import type { Operation } from '@capstan/contract/operation'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { Plugin } from 'vite'

/**
 * Returns the parts of an API call that the browser needs at run time: for example address and method. Schemas are only needed as
 * types.
 */
function lean(call: Operation) {
  return {
    method: call.method,
    path: call.path,
    ...(call.upload && { upload: call.upload }),
    ...(call.download && { download: call.download }),
    ...(call.repeatable && { repeatable: call.repeatable }),
  }
}

const part = '\0capstan-calls:'

/**
 * Replaces `@capstan/contract/operations` by a module with only the addresses, so that the browser loads no schema library. Calls
 * for organizers are a separate module that players never load. Types still come from the contract, but `body`, `query`, `params`
 * and `response` are absent at run time.
 */
export function replaceContractModule(): Plugin {
  const source = fileURLToPath(import.meta.resolve('@capstan/contract/operations'))
  const tables: Readonly<Record<string, Readonly<Record<string, Operation>>>> = { operations, ownOperations }
  const isOfOrganizers = ({ access }: Operation) => access === 'admin' || access === 'monitor'
  const callsOf = (table: string, forOrganizers: boolean) =>
    Object.entries(tables[table] ?? {})
      .filter(([, call]) => isOfOrganizers(call) === forOrganizers)
      .map(([name, call]) => `export const ${name} = ${JSON.stringify(lean(call))}`)
      .join('\n')
  const answer = (code: string) => ({ code, map: null, moduleType: 'js' as const, moduleSideEffects: false })
  return {
    name: 'capstan-lean-contract',
    enforce: 'pre',
    resolveId: (id) => (id.startsWith(part) ? id : null),
    load(id) {
      const [, table = '', access] = id.startsWith(part) ? (/^(\w+)\.(\w+)$/.exec(id.slice(part.length)) ?? []) : []
      if (access === 'all')
        return answer(['players', 'organizers'].map((of) => `export * from '${part}${table}.${of}'`).join('\n'))
      if (access !== undefined) return answer(callsOf(table, access === 'organizers'))
      if (id.split('?')[0] !== source) return null
      this.addWatchFile(source)
      return answer(
        Object.keys(tables)
          .map((name) => `export * as ${name} from '${part}${name}.all'`)
          .join('\n'),
      )
    },
  }
}
