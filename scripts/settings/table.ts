import type { Setting } from '@capstan/settings/setting'
import { processNames, settingsOfProcess } from './processes.ts'

const begin = '<!-- Settings: made by scripts/generate.ts from the settings.ts of each process. -->'
const end = '<!-- End of settings. -->'

/** Escapes vertical bars, which would otherwise end the table cell. */
function cell(content: string): string {
  return content.replaceAll('|', '\\|')
}

/** Returns the default of a variable, as text for the README. */
function absence({ isRequired, default: byDefault, onlyWith }: Setting<unknown>): string {
  const value = isRequired ? 'required' : byDefault === undefined ? 'none' : `\`${byDefault}\``
  return onlyWith === undefined ? value : `${value}, with \`${onlyWith}\``
}

/** Returns a table with a row for each variable. A variable whose meaning differs between processes has several rows. */
export function formatSettingsTable(): string {
  const rows = new Map<string, string[]>()
  for (const name of processNames)
    for (const setting of settingsOfProcess(name)) {
      const key = JSON.stringify([setting.name, absence(setting), setting.kind.example, setting.about])
      rows.set(key, [...(rows.get(key) ?? []), name])
    }
  const lines = [...rows].map(([key, readers]) => {
    const [variable, byDefault = '', example, about = ''] = JSON.parse(key) as string[]
    return `| ${[`\`${variable}\``, readers.join(', '), byDefault, `\`${example}\``, about].map(cell).join(' | ')} |`
  })
  return ['| Variable | Process | Default | Example | |', '|---|---|---|---|---|', ...lines].join('\n')
}

/**
 * Replaces the table in the README.
 * @throws Error if the README has no place for the table, or two places
 */
export function replaceTable(readme: string, table: string): string {
  const [before, within, ...rest] = readme.split(begin)
  const [, after, ...more] = (within ?? '').split(end)
  if (before === undefined || after === undefined || rest.length + more.length > 0)
    throw new Error(`The README must have one table of settings, between "${begin}" and "${end}"`)
  return `${before}${begin}\n\n${table}\n\n${end}${after}`
}
