import { InputLimits } from '@capstan/contract/limits'
import type { CtfdTables, Row } from './ctfd-tables.ts'
import type { Findings } from './findings.ts'
import { truncateText } from './truncate.ts'

const settingsTaken = [
  ...['ctf_name', 'ctf_description', 'user_mode', 'start', 'end', 'freeze', 'verify_emails', 'ctf_version', 'team_size'],
]

/** Names of the CTFd settings for the maximum number of users or teams. */
const limitSettings = { users: 'num_users', teams: 'num_teams' } as const

/**
 * CTFd settings that the import ignores, each with a sentence for the report. The sentence names the setting of this platform that
 * has the same effect.
 */
const settingsElsewhere: ReadonlyMap<string, string> = new Map(
  Object.entries({
    registration_code: 'Set an invitation code in the game.',
    domain_whitelist: 'Set the allowed email domains in the platform settings.',
    registration_visibility: 'Set in the platform settings whether people may register.',
    num_teams: 'The event ranked users. Limit the teams in the game if necessary.',
    num_users: 'Set in the platform settings whether people may register.',
    mail_server: 'Set the mail server in the deployment of the platform.',
  }),
)

/** Maximum number of names in the report's list of ignored settings. */
const maxNamedSettings = 100

function reportSettings(rows: readonly Row[], mode: 'users' | 'teams', findings: Findings): void {
  const why = 'Settings of the other platform are not imported'
  const taken = [...settingsTaken, limitSettings[mode]]
  const given = rows.filter((row) => !taken.includes(row.text('key')) && row.text('value').trim() !== '')
  const others: Row[] = []
  for (const row of given) {
    const field = row.text('key')
    const advice = settingsElsewhere.get(field)
    if (advice === undefined) others.push(row)
    else findings.add({ table: 'config', field, outcome: 'left-out', why: `${why}.`, advice }, row.id)
  }
  const names = others.slice(0, maxNamedSettings).map((row) => `\`${truncateText(row.text('key'), 64)}\``)
  const list = `${names.join(', ')}${others.length > maxNamedSettings ? ' and others' : ''}`
  for (const row of others)
    findings.add(
      { table: 'config', field: '', outcome: 'left-out', why: `${why}: ${list}.`, advice: 'Check the settings here.' },
      row.id,
    )
}

/** Reads the settings that this platform supports, and reports all others. */
export function readCtfdSettings(tables: CtfdTables, findings: Findings) {
  const settings = new Map(tables.config.map((row) => [row.text('key'), row]))
  const given = settings.get('user_mode')?.text('value') ?? (tables.teams.length > 0 ? 'teams' : 'users')
  const mode: 'users' | 'teams' = given === 'users' ? 'users' : 'teams'
  reportSettings(tables.config, mode, findings)
  const shorten = (key: string, length: number): string => {
    const row = settings.get(key)
    const whole = row?.text('value').trim() ?? ''
    const text = truncateText(whole, length)
    if (text !== whole)
      findings.add(
        {
          table: 'config',
          field: key,
          outcome: 'converted',
          why: 'The text was too long and was shortened.',
          advice: 'Edit it in the game.',
        },
        row?.id,
      )
    return text
  }
  const moment = (key: string): Date | undefined => {
    const row = settings.get(key)
    const seconds = row?.number('value')
    // Read a number as seconds since 1970 if this yields a time before the year 9893.
    return seconds && seconds > 0 && seconds < 2.5e11 ? new Date(seconds * 1000) : row?.time('value')
  }
  const limit = settings.get(limitSettings[mode])?.int('value') ?? 0
  return {
    title: shorten('ctf_name', InputLimits.maxTitleLength) || 'Imported game',
    summary: shorten('ctf_description', InputLimits.maxShortTextLength),
    teamSize: Math.min(InputLimits.maxInt32, Math.max(0, settings.get('team_size')?.int('value') ?? 0)),
    teamLimit: limit > 0 ? Math.min(InputLimits.maxInt32, limit) : null,
    mode,
    start: moment('start'),
    end: moment('end'),
    freeze: moment('freeze'),
    freezeRow: settings.get('freeze')?.id,
  }
}

type FreezeSetting = Readonly<{
  freeze: Date | undefined
  freezeRow: number | undefined
}>

/**
 * Returns the freeze of the board. CTFd never reveals a frozen board, so the imported board remains frozen until organizers
 * reveal it.
 */
export function readCtfdFreeze(
  { freeze, freezeRow }: FreezeSetting,
  { start, end }: Readonly<{ start: Date; end: Date }>,
  findings: Findings,
): Date | null {
  if (!freeze) return null
  const tell = (outcome: 'converted' | 'left-out', why: string, advice: string) =>
    findings.add({ table: 'config', field: 'freeze', outcome, why, advice }, freezeRow)
  if (freeze <= start || freeze > end) {
    tell('left-out', 'The freeze is not during the game.', 'Set the freeze of the scoreboard in the game.')
    return null
  }
  tell('converted', 'The scoreboard is frozen until you reveal it.', 'Reveal it in the game if the results are public.')
  return freeze
}
