import { createDefaultChallenge } from '@capstan/challenge-files/challenge/challenge'
import { refuseFlagPattern } from '@capstan/challenge-files/flag-pattern'
import { parseCategory } from '@capstan/challenge-files/importers/names'
import { type CtfdCurve, createCtfdScore } from '@capstan/challenge-files/importers/score-curve'
import { nameOf, printableName } from '@capstan/challenge-files/tree'
import type { Challenge } from '@capstan/contract/challenge'
import type { FlagKind } from '@capstan/contract/challenges'
import { escapeFormulas } from '@capstan/contract/formula'
import type { Hint } from '@capstan/contract/hints'
import { InputLimits, Limits, ScoreDefaults } from '@capstan/contract/limits'
import { challengeValue } from '@capstan/contract/score'
import { normalizeTags } from '@capstan/contract/tags'
import type { ArchivedFile } from '../archives/entry-stream.ts'
import { UnfitArchive } from '../archives/unfit-archive.ts'
import type { Archive } from '../archives/zip-archive.ts'
import { type CtfdTables, pathOfUpload, type Row } from './ctfd-tables.ts'
import type { Findings } from './findings.ts'
import type { PlannedChallenge, PlannedFile } from './plan.ts'
import { truncateText } from './truncate.ts'

type PlannedFlag = Readonly<{ flag: string; kind: FlagKind }>

/** Matches `{,n}` in a regular expression, which means up to n repetitions in Python, but literal text in RE2. */
const repeatsUpTo = /\{,\d/

function readFlag(row: Row, findings: Findings): PlannedFlag | undefined {
  const content = row.text('content')
  const data = row.text('data').trim()
  const ignoresCase = data === 'case_insensitive'
  if (!ignoresCase && !['', 'case_sensitive'].includes(data) && ['static', 'regex'].includes(row.text('type')))
    findings.add(
      {
        ...{
          table: 'flags',
          field: 'data',
          outcome: 'left-out',
          why: `The flag option \`${truncateText(data, 64)}\` is not supported.`,
        },
        advice: 'Test the flag in the challenge editor.',
      },
      row.id,
    )
  const leaveOut = (why: string, advice: string): undefined => {
    findings.add({ table: 'flags', field: 'content', outcome: 'left-out', why, advice }, row.id)
  }
  switch (row.text('type')) {
    case 'static': {
      const flag = content.trim()
      if (flag === '') return leaveOut('An empty flag cannot be correct.', 'Add a flag to the challenge.')
      if ([...flag].length > Limits.maxFlagLength)
        return leaveOut(`The flag is longer than ${Limits.maxFlagLength} characters.`, 'Shorten the flag.')
      return { flag, kind: ignoresCase ? 'Caseless' : 'Exact' }
    }
    case 'regex': {
      if (content === '') return leaveOut('An empty regular expression cannot match.', 'Add a flag to the challenge.')
      const flag = ignoresCase ? `(?i)${content}` : content
      const refusal = refuseFlagPattern(flag)
      if (refusal !== undefined)
        return leaveOut(
          `The regular expression \`${truncateText(content, Limits.maxFlagPatternLength)}\` is not valid RE2: ${refusal}.`,
          'Rewrite the flag without lookaround and back-references, add it to the challenge, and test it there.',
        )
      if (repeatsUpTo.test(content))
        findings.add(
          {
            ...{ table: 'flags', field: 'content', outcome: 'converted' as const },
            why: 'The regular expression has another meaning here, because `{,n}` matches those characters literally.',
            advice: 'Write `{0,n}` in the challenge.',
          },
          row.id,
        )
      return { flag, kind: 'Pattern' }
    }
    default:
      return leaveOut(
        `Flags of the type \`${truncateText(row.text('type'), 64)}\` are not supported.`,
        'Add a flag to the challenge.',
      )
  }
}

function readFlags(rows: readonly Row[], findings: Findings): PlannedFlag[] {
  const flags: PlannedFlag[] = []
  let rules = 0
  for (const row of rows) {
    const flag = readFlag(row, findings)
    if (!flag) continue
    if (flags.length === InputLimits.maxFlagsPerCall) {
      const why = `A challenge has at most ${InputLimits.maxFlagsPerCall} flags.`
      findings.add(
        { table: 'flags', field: '', outcome: 'left-out', why, advice: 'Combine some of them into one pattern.' },
        row.id,
      )
      continue
    }
    if (flag.kind !== 'Exact') rules += 1
    if (flag.kind === 'Exact' || rules <= Limits.maxFlagRules) flags.push(flag)
    else {
      const why = `A challenge has at most ${Limits.maxFlagRules} flags that are patterns or case-insensitive.`
      findings.add(
        { table: 'flags', field: '', outcome: 'left-out', why, advice: 'Combine some of them into one pattern.' },
        row.id,
      )
    }
  }
  return flags
}

function readHints(rows: readonly Row[], findings: Findings): Hint[] {
  const hints: Hint[] = []
  for (const row of rows) {
    const title = row.text('title').trim()
    const whole = escapeFormulas(title === '' ? row.text('content') : `**${title}** ${row.text('content')}`)
    if (whole.trim() === '') {
      findings.add(
        { table: 'hints', field: 'content', outcome: 'left-out', why: 'The hint is empty.', advice: 'No action is needed.' },
        row.id,
      )
      continue
    }
    if (hints.length === InputLimits.maxHints) {
      const why = `A challenge has at most ${InputLimits.maxHints} hints.`
      findings.add({ table: 'hints', field: '', outcome: 'left-out', why, advice: 'Combine some of them.' }, row.id)
      continue
    }
    const hint = truncateText(whole, InputLimits.maxShortTextLength)
    if (hint !== whole)
      findings.add(
        {
          ...{ table: 'hints', field: 'content', outcome: 'converted', why: 'The hint was too long and was shortened.' },
          advice: 'Edit it in the challenge.',
        },
        row.id,
      )
    const cost = row.number('cost') ?? 0
    const price = Math.min(InputLimits.maxScore, Math.max(0, Math.round(cost)))
    if (price !== cost)
      findings.add(
        {
          ...{ table: 'hints', field: 'cost', outcome: 'converted' as const },
          why: `The price of a hint is a whole number from 0 to ${InputLimits.maxScore}.`,
          advice: 'Check the price in the challenge.',
        },
        row.id,
      )
    hints.push({ text: hint, price })
  }
  return hints
}

/**
 * Reads the tags of a challenge, and shortens tags that are too long.
 * @param first text of the first tag in the result
 */
function readTags(first: string, rows: readonly Row[], findings: Findings): string[] {
  const tags: string[] = normalizeTags([first])
  const { maxChallengeTagLength: length, maxChallengeTags: most } = Limits
  for (const row of rows) {
    const whole = row
      .text('value')
      .replaceAll(/\p{Cc}/gu, ' ')
      .trim()
    const tag = truncateText(whole, length)
    if (normalizeTags([...tags, tag]).length === tags.length) continue
    const tell = (outcome: 'converted' | 'left-out', why: string, advice: string) =>
      findings.add({ table: 'tags', field: 'value', outcome, why, advice }, row.id)
    if (tags.length === most) {
      tell('left-out', `A challenge has at most ${most} tags.`, 'Choose its tags in the challenge.')
      continue
    }
    if (tag !== whole)
      tell('converted', `The tag was longer than ${length} characters and was shortened.`, 'Edit it in the challenge.')
    tags.push(tag.trim())
  }
  return tags
}

function pointsWithin(value: number): number {
  return Math.min(InputLimits.maxScore, Math.max(0, Math.round(value)))
}

/** Returns the curve of a challenge whose value depends on its solves. @returns undefined for a challenge with a fixed value */
function curveOf(challenge: Row, dynamic: Row | undefined, findings: Findings): CtfdCurve | undefined {
  const read = (key: string) => dynamic?.number(key) ?? dynamic?.number(`dynamic_${key}`) ?? challenge.number(key)
  const decay = read('decay')
  if (decay === undefined) return undefined
  const shapes = [dynamic?.text('function'), dynamic?.text('dynamic_function'), challenge.text('function')]
  // A static challenge may still have a curve that CTFd no longer uses.
  if (!dynamic && shapes.includes('static')) return undefined
  const tell = (field: string, why: string) =>
    findings.add(
      { table: 'challenges', field, outcome: 'converted', why, advice: 'Check the points in the challenge.' },
      challenge.id,
    )
  if (decay < 0) {
    tell('decay', 'The decay is negative, so the value is static.')
    return undefined
  }
  if (decay > InputLimits.maxDecay) tell('decay', `The decay is at most ${InputLimits.maxDecay} here.`)
  const pointsOf = (field: string, value: number): number => {
    const points = pointsWithin(value)
    if (points !== value) tell(field, `The points of a curve are whole numbers from 0 to ${InputLimits.maxScore} here.`)
    return points
  }
  return {
    initial: pointsOf('initial', read('initial') ?? challenge.number('value') ?? 0),
    minimum: pointsOf('minimum', read('minimum') ?? 0),
    decay,
    isLinear: shapes.includes('linear'),
  }
}

type ImportedScore = Pick<Challenge, 'points' | 'minimumShare' | 'decay' | 'curve'>

/**
 * Returns the points of a challenge. A dynamic challenge retains its curve if the curve yields the exported value for `solves`.
 * Otherwise it gets the exported value as a fixed value.
 * @param solves number of solves on the board
 */
function readScore(row: Row, dynamic: Row | undefined, solves: number, findings: Findings): ImportedScore {
  const value = row.number('value') ?? 0
  const points = pointsWithin(value)
  const constant = { points, minimumShare: 1, decay: ScoreDefaults.decay, curve: 'static' } as const
  if (points !== value) {
    const why = `The value of a challenge is a whole number from 0 to ${InputLimits.maxScore} here.`
    const advice = 'Check the teams whose points differ, and give them an award if the difference matters.'
    findings.add({ table: 'challenges', field: 'value', outcome: 'converted', why, advice }, row.id)
  }
  const given = curveOf(row, dynamic, findings)
  if (!given) return constant
  const { points: initial, minimumShare = 1, difficulty: decay = ScoreDefaults.decay, curve = 'static' } = createCtfdScore(given)
  const score: ImportedScore = { points: initial, minimumShare, decay, curve }
  if (challengeValue(score, solves) === points) return score
  findings.add(
    {
      ...{ table: 'challenges', field: 'value', outcome: 'converted' },
      why: 'The exported value does not follow from its curve and solves. It is static, so that the scoreboard has the same points.',
      advice: `To use the curve in another game, set ${initial} points, the minimum ${given.minimum} and the decay ${given.decay}.`,
    },
    row.id,
  )
  return constant
}

type Requirements = Readonly<{
  unlock: Challenge['unlock']
  /** Ids of the prerequisites in the export. */
  after: readonly number[]
}>

/**
 * Reads the prerequisites of a challenge. CTFd either hides a locked challenge or replaces its title. The imported challenge is
 * always hidden while it is locked.
 */
function readRequirements(row: Row, known: ReadonlySet<number>, findings: Findings): Requirements {
  const none = { unlock: null, after: [] }
  const tell = (outcome: 'converted' | 'left-out', why: string, advice: string): Requirements => {
    findings.add({ table: 'challenges', field: 'requirements', outcome, why, advice }, row.id)
    return none
  }
  const given = row.json('requirements')
  if (given == null || given === '' || given === 'null') return none
  const { prerequisites = [], anonymize } = given as Record<string, unknown>
  if (typeof given !== 'object' || Array.isArray(given) || !Array.isArray(prerequisites))
    return tell('left-out', 'This is not a list of prerequisites.', 'Choose the prerequisites in the challenge.')
  const ids = [...new Set(prerequisites.map(Number))]
  const others = ids.filter((id) => known.has(id) && id !== row.id)
  const after = others.slice(0, Limits.maxPrerequisites)
  if (others.length < ids.length)
    tell('left-out', 'Some prerequisites are not in the export.', 'Choose the prerequisites in the challenge.')
  if (after.length < others.length)
    tell('left-out', `A challenge has at most ${Limits.maxPrerequisites} prerequisites.`, 'Choose them in the challenge.')
  if (after.length === 0) return none
  if (anonymize === true)
    tell(
      'converted',
      'CTFd shows the locked challenge without its title. This platform hides it.',
      'If players may know its title, show it as locked.',
    )
  return { unlock: { after: [], count: null, points: null, locked: 'Hidden' }, after }
}

/** Reports parts of a text that this platform renders differently. */
export function reportTextDifferences(table: string, field: string, text: string, row: number, findings: Findings): void {
  const tell = (why: string, advice: string) => findings.add({ table, field, outcome: 'converted', why, advice }, row)
  if (/<[a-z]/i.test(text))
    tell('Texts are Markdown, so HTML in them is shown as text or removed.', 'Check the text and rewrite it as Markdown.')
  if (/(?:^|[("'\s=/])files\/\S/.test(text))
    tell('It links to a file on the other platform.', 'Upload the file here and change the link.')
}

function readContent(row: Row, findings: Findings): string {
  const parts = [row.text('description'), row.text('connection_info'), row.text('attribution')].filter(
    (part) => part.trim() !== '',
  )
  const whole = escapeFormulas(parts.join('\n\n'))
  const content = truncateText(whole, InputLimits.maxLongTextLength)
  if (content !== whole)
    findings.add(
      {
        ...{ table: 'challenges', field: 'description', outcome: 'converted', why: 'The text was too long and was shortened.' },
        advice: 'Move part of it into a file.',
      },
      row.id,
    )
  reportTextDifferences('challenges', 'description', whole, row.id, findings)
  if (row.text('connection_info').trim() !== '')
    findings.add(
      {
        ...{ table: 'challenges', field: 'connection_info', outcome: 'converted' as const },
        why: 'The connection info was added to the description.',
        advice: 'Use a container challenge if each team should have its own instance.',
      },
      row.id,
    )
  return content
}

/** Returns the maximum number of attempts. In CTFd, 0 and negative numbers mean that there is no maximum. */
function readMaxAttempts(row: Row, findings: Findings): number {
  const given = Math.max(0, row.number('max_attempts') ?? 0)
  const limit = Math.min(Limits.maxSubmissionLimit, Math.ceil(given))
  if (limit !== given)
    findings.add(
      {
        ...{ table: 'challenges', field: 'max_attempts', outcome: 'converted' },
        why: `The maximum number of attempts is a whole number up to ${Limits.maxSubmissionLimit} here.`,
        advice: 'Check it in the challenge.',
      },
      row.id,
    )
  return limit
}

const maxHeaderBytes = 2_048

function sizeOfAll(parts: readonly ArchivedFile[]): number {
  return parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}

function readFile(
  challengeId: number,
  rows: readonly Row[],
  archive: Archive,
  maxFileBytes: number,
  findings: Findings,
): PlannedFile | undefined {
  const parts = rows.flatMap((row) => {
    const path = pathOfUpload(row)
    const tell = (why: string, advice: string): [] => {
      findings.add({ table: 'files', field: 'location', outcome: 'left-out', why, advice }, row.id)
      return []
    }
    const size = archive.sizeOf(path)
    const why = archive.tree.leftOut?.get(path)
    if (why !== undefined)
      return tell(`\`${printableName(path)}\` ${why} and was not imported.`, 'Upload it to the challenge manually.')
    if (size === undefined)
      return tell(`\`${truncateText(path, 200)}\` is not in the archive.`, 'Upload it to the challenge manually.')
    if (size === 0) return tell('The file is empty.', 'Upload it to the challenge manually.')
    return size > maxFileBytes
      ? tell('The file is too large for this platform.', 'Host it elsewhere and link it.')
      : [archive.locate(path)]
  })
  const [first, ...others] = parts
  if (first === undefined) return undefined
  if (others.length === 0) return { parts, fileName: nameOf(first.path) }
  if (sizeOfAll(parts) + parts.length * maxHeaderBytes > maxFileBytes) {
    const why = 'All files together are too large for this platform, so only the first was imported.'
    const advice = 'Host the others elsewhere and link them.'
    findings.add({ table: 'challenges', field: 'files', outcome: 'left-out', why, advice }, challengeId)
    return { parts: [first], fileName: nameOf(first.path) }
  }
  const why = 'A challenge has one file here, so its files were packed into one archive.'
  const advice = 'No action is needed.'
  findings.add({ table: 'challenges', field: 'files', outcome: 'converted', why, advice }, challengeId)
  return { parts, fileName: 'files.zip' }
}

/**
 * Converts challenges with their hints, flags, tags and files.
 * @param counted map from the id of each challenge to the number of its solves that count on the board
 */
export function convertCtfdChallenges(
  tables: CtfdTables,
  counted: ReadonlyMap<number, number>,
  archive: Archive,
  maxFileBytes: number,
  findings: Findings,
): PlannedChallenge[] {
  const byChallenge = (rows: readonly Row[]) => Map.groupBy(rows, (row) => row.int('challenge_id') ?? 0)
  const [flags, hints, tags] = [byChallenge(tables.flags), byChallenge(tables.hints), byChallenge(tables.tags)]
  const files = byChallenge(
    tables.files.filter((row) => row.text('type') === 'challenge' || row.int('challenge_id') !== undefined),
  )
  const dynamics = new Map(tables.dynamic_challenge.map((row) => [row.id, row]))
  const known = new Set(tables.challenges.map((row) => row.id))
  for (const table of ['flags', 'hints', 'tags'] as const)
    for (const row of tables[table])
      if (!known.has(row.int('challenge_id') ?? 0))
        findings.add(
          {
            ...{ table, field: 'challenge_id', outcome: 'left-out', why: 'The challenge is not in the export.' },
            advice: 'No action is needed, unless the challenge should be in the export.',
          },
          row.id,
        )
  for (const row of tables.dynamic_challenge)
    if (!known.has(row.id))
      findings.add(
        {
          ...{ table: 'dynamic_challenge', field: 'id', outcome: 'left-out', why: 'The challenge is not in the export.' },
          advice: 'No action is needed, unless the challenge should be in the export.',
        },
        row.id,
      )
  for (const row of tables.files)
    if (!known.has(row.int('challenge_id') ?? 0))
      findings.add(
        {
          ...{ table: 'files', field: '', outcome: 'left-out' as const, why: 'The file belongs to no challenge.' },
          advice: 'Upload it manually if a post shows it.',
        },
        row.id,
      )
  let fileBytes = 0
  return tables.challenges.map((row): PlannedChallenge => {
    const file = readFile(row.id, files.get(row.id) ?? [], archive, maxFileBytes, findings)
    fileBytes += sizeOfAll(file?.parts ?? [])
    if (fileBytes > Limits.maxUnpackedImportBytes)
      throw new UnfitArchive('The challenges together have more file content than the archive.')
    const title = row.text('name').trim()
    const word = row.text('category').trim()
    const category = parseCategory(word) ?? 'Misc'
    const solves = counted.get(row.id) ?? 0
    const state = row.text('state')
    const isShown = state === '' || state === 'visible'
    const type = row.text('type')
    const tell = (field: string, why: string, advice: string) =>
      findings.add({ table: 'challenges', field, outcome: 'converted', why, advice }, row.id)
    if (title === '') tell('name', 'The challenge has no name.', 'Name it in the challenge.')
    else if (truncateText(title, InputLimits.maxTitleLength) !== title)
      tell('name', 'The name was too long and was shortened.', 'Edit it in the challenge.')
    const named = parseCategory(word) === undefined ? word : ''
    if (word.toLowerCase() !== category.toLowerCase()) {
      const tag = named === '' ? '' : ` with the tag \`${truncateText(word, Limits.maxChallengeTagLength)}\``
      tell(
        'category',
        `\`${truncateText(word, 64)}\` is imported as ${category}${tag}.`,
        'Choose another category in the challenge.',
      )
    }
    if (!['', 'standard', 'dynamic'].includes(type))
      tell(
        'type',
        `Challenges of the type \`${truncateText(type, 64)}\` are not supported, so it became a challenge with flags and a file.`,
        'Check that it can be solved, or disable it.',
      )
    if (!isShown && solves > 0)
      tell('state', 'It was hidden but has counted solves, so it is enabled.', 'If you disable it, teams lose its points.')
    else if (!isShown && state !== 'hidden')
      tell(
        'state',
        `The state \`${truncateText(state, 64)}\` is unknown, so the challenge is disabled.`,
        'Enable it if players should see it.',
      )
    const own = readFlags(flags.get(row.id) ?? [], findings)
    const { unlock, after } = readRequirements(row, known, findings)
    const name = title === '' ? `Challenge ${row.id}` : truncateText(title, InputLimits.maxTitleLength)
    if (own.length === 0)
      tell('flags', 'No flag was imported, so the challenge cannot be solved.', 'Add a flag to the challenge.')
    return {
      key: row.id,
      acceptedCount: solves,
      after,
      challenge: {
        ...createDefaultChallenge(name, category, 'StaticAttachment'),
        description: readContent(row, findings),
        hints: readHints(hints.get(row.id) ?? [], findings),
        tags: readTags(
          truncateText(named.replaceAll(/\p{Cc}/gu, ' '), Limits.maxChallengeTagLength),
          tags.get(row.id) ?? [],
          findings,
        ),
        enabled: solves > 0 || (isShown && own.length > 0),
        ...readScore(row, dynamics.get(row.id), solves, findings),
        submissionLimit: readMaxAttempts(row, findings),
        unlock,
        flags: own.map(({ flag, kind }) => ({ flag, file: null, ...(kind !== 'Exact' && { kind }) })),
        attachment: file ?? null,
      },
    }
  })
}
