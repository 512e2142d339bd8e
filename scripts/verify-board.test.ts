import { sign } from 'node:crypto'
import { type ChainRecord, chainLineOf, createChainPlan, isOnBoard, rowKeyOf } from '@capstan/api/rules/scoring/public-chain'
import { buildScoreboard } from '@capstan/api/rules/scoring/ranking'
import { boardFactsOfScoreState, createScoreFoldOfAllRecords, type ScoreRecord } from '@capstan/api/rules/scoring/records'
import { instantAt } from '@capstan/api/rules/scoring/testing/facts'
import { sampleHistories } from '@capstan/api/rules/scoring/testing/histories'
import {
  createChallengeRecord,
  createGameRecord,
  createParticipationRecord,
  createSolveRecord,
  someNames,
} from '@capstan/api/rules/scoring/testing/records'
import { computeNextHash, createSecretNumbers, firstHash, signBoardSeal } from '@capstan/api/rules/signing/board-seal'
import { privateKeyFromSeed, rawPublicKeyOfSeed } from '@capstan/api/rules/signing/ed25519'
import { countRandomCases } from '@capstan/api/testing/full-run'
import { expect, test } from 'vitest'
import { boardOfRecords, verifyChain } from './verify-board.mjs'

/** Random histories of a game. */
const histories = sampleHistories(countRandomCases({ short: 100, full: 300 }))

const seed = Buffer.alloc(32, 7)
const publicKey = rawPublicKeyOfSeed(seed).toString('base64')
const secretNumbers = createSecretNumbers(seed)

/**
 * First records of a game with three challenges and three teams. All solves have the same time. They are recorded in reverse order
 * of their submission ids.
 */
const beginning = [
  createGameRecord('09:00'),
  ...[1, 2, 3].flatMap((id) => [createChallengeRecord('09:00', id), createParticipationRecord('09:00', id)]),
  ...['1 1', '2 1', '3 1', '1 2', '3 3', '2 3'].map((pair, index) => createSolveRecord('09:30', pair, 1000 - index)),
]

/**
 * Returns the lines of a chain, which is the signed list of score records. A seal (signature) follows after every `pageSize`
 * records.
 */
function chainOf(records: readonly ScoreRecord[], pageSize: number): string[] {
  const lines = [JSON.stringify({ game: 5, publicKey })]
  let [hash, sequence] = [firstHash, 0]
  let pending: ChainRecord[] = []
  const present = new Set<string>()
  for (let from = 0; from < records.length; from += pageSize) {
    const page = records.slice(from, from + pageSize).map((record, index) => ({ ...record, id: from + index + 1 }))
    const plan = createChainPlan({ until: undefined, isListed: () => true })
    plan.setPresent(present)
    const { published, dropped } = plan.add([...pending, ...page])
    for (const record of published) {
      sequence += 1
      const line = chainLineOf(sequence, record, secretNumbers)
      hash = computeNextHash(hash, line)
      lines.push(line)
      if (isOnBoard(record)) present.add(rowKeyOf(record))
      else present.delete(rowKeyOf(record))
    }
    const settled = new Set([...published.map(({ id }) => id), ...dropped])
    pending = [...pending, ...page].filter(({ id }) => !settled.has(id))
    if (published.length === 0) continue
    const signature = signBoardSeal({ gameId: 5, sequence, hash, time: from }, seed)
    lines.push(JSON.stringify({ seal: sequence, hash, time: from, signature }))
  }
  return lines
}

function liveBoardOf(records: readonly ScoreRecord[]) {
  const { state, add } = createScoreFoldOfAllRecords()
  add(records)
  const { items } = buildScoreboard({ ...boardFactsOfScoreState(state, someNames)!, updatedAt: instantAt('13:00') })
  return items.map(({ id, rank, score, solvedChallenges }) => ({
    ...{ team: id, rank, score },
    solves: Object.fromEntries(solvedChallenges.map((solve) => [solve.id, solve.score])),
  }))
}

test('the script computes the same scoreboard as the platform from the signed list of score records, for random histories', () => {
  let solves = 0
  for (const [index, later] of histories.entries()) {
    const records = [...beginning, ...later]
    const live = liveBoardOf(records)
    const board = boardOfRecords(verifyChain(chainOf(records, 1 + (index % 30)).join('\n'), publicKey).records)
    const rows = board.map(({ team, rank, score, solves: points }) => ({ team, rank, score, solves: points }))
    expect(rows, `history ${index}`).toEqual(live)
    solves += live.reduce((sum, row) => sum + Object.keys(row.solves).length, 0)
  }
  expect(solves).toBeGreaterThan(histories.length)
})

type Tampering = (lines: readonly string[], at: number) => readonly string[]

const tamperings = {
  change: (lines, at) =>
    lines.with(
      at,
      lines[at]!.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10)),
    ),
  remove: (lines, at) => lines.toSpliced(at, 1),
  repeat: (lines, at) => lines.toSpliced(at, 0, lines[at]!),
  swap: (lines, at) => lines.with(at, lines[at + 1]!).with(at + 1, lines[at]!),
} satisfies Record<string, Tampering>

test.each(Object.entries(tamperings))(
  'the script refuses a signed list with a manipulated record: %s',
  (_, tamper: Tampering) => {
    for (const [index, history] of histories.entries()) {
      const lines = chainOf([...beginning, ...history], 20)
      const places = lines.flatMap((line, place) => ('sequence' in JSON.parse(line) ? [place] : []))
      const text = tamper(lines, places[(index * 7) % places.length]!).join('\n')
      expect(() => verifyChain(text, publicKey), `history ${index}`).toThrow()
    }
  },
)

test.each(['seal', 'hash', 'time', 'signature'])('the script refuses a signature (seal) whose %s was changed', (field) => {
  for (const [index, history] of histories.entries()) {
    const lines = chainOf([...beginning, ...history], 20)
    const seals = lines.flatMap((line, place) => ('seal' in JSON.parse(line) ? [place] : []))
    const at = seals[index % seals.length]!
    const seal = JSON.parse(lines[at]!)
    const value = typeof seal[field] === 'number' ? seal[field] + 1 : String(seal[field]).replace(/./, other)
    const changed = lines.with(at, JSON.stringify({ ...seal, [field]: value }))
    expect(() => verifyChain(changed.join('\n'), publicKey), `history ${index}`).toThrow(/Seal|Not record/)
  }
})

/** Returns a hexadecimal digit that differs from the given digit. */
function other(digit: string): string {
  return digit === '0' ? '1' : '0'
}

test('the script refuses records of another game, another public key, and a list without its last signature', () => {
  const lines = chainOf([{ kind: 'award', key: '1', time: 0, value: { participation: 1, points: 5, time: 0 } }], 1)
  expect(verifyChain(lines.join('\n'), publicKey).seal.seal).toBe(1)
  expect(() => verifyChain(lines.with(0, JSON.stringify({ game: 6, publicKey })).join('\n'))).toThrow('Seal 1 is wrong')
  expect(() => verifyChain(lines.join('\n'), rawPublicKeyOfSeed(Buffer.alloc(32, 8)).toString('base64'))).toThrow('differs')
  expect(() => verifyChain(lines.slice(0, -1).join('\n'))).toThrow('no seal')
})

test('the script refuses a list of records that another key has signed', () => {
  const line = chainLineOf(1, { kind: 'award', key: '1', time: 0, value: null }, secretNumbers)
  const hash = computeNextHash(firstHash, line)
  const text = Buffer.from(`CAPSTAN BOARD\n5\n1\n${hash}\n0`)
  const signature = sign(null, text, privateKeyFromSeed(Buffer.alloc(32, 8))).toString('hex')
  const lines = [JSON.stringify({ game: 5, publicKey }), line, JSON.stringify({ seal: 1, hash, time: 0, signature })]
  expect(() => verifyChain(lines.join('\n'))).toThrow('Seal 1 is wrong')
})
