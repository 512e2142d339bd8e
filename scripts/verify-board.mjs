// Usage: node verify-board.mjs FILE [PUBLIC-KEY]. Verifies a downloaded board: docs/verifying.md.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
export function verifyChain(text, givenKey) {
  const [head, ...texts] = text.trimEnd().split('\n')
  const { game, publicKey } = JSON.parse(head)
  if (givenKey && givenKey !== publicKey) throw new Error('The public key differs')
  const x = Buffer.from(publicKey, 'base64').toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  let [hash, seal, records] = ['0'.repeat(64), { seal: 0, time: 0 }, []]
  for (const text of texts) {
    const line = JSON.parse(text)
    if (line.seal === undefined) {
      if (records.push(line) !== line.sequence) throw new Error(`Not record ${records.length}`)
      hash = createHash('sha256').update(`${hash}\n${text}`).digest('hex')
    } else {
      const signed = ['CAPSTAN BOARD', game, records.length, hash, line.time].join('\n')
      const isRight = line.seal === records.length && line.hash === hash
        && verify(null, Buffer.from(signed), key, Buffer.from(line.signature, 'hex'))
      if (!isRight) throw new Error(`Seal ${line.seal} is wrong`)
      seal = line
    }
  }
  if (seal.seal !== records.length) throw new Error('The last record has no seal')
  return { records, seal }
}
const [half, from, to] = [(x) => (1 - Math.tanh(x)) / 2, -Math.atanh(0.7), Math.atanh(0.96)]
const rctf = (x) => (half((to - from) * x + from) - half(to)) / (half(from) - half(to))
const { ceil, exp, floor, max, min } = Math
const curves = {
  exponential: ([high, , rate, d], n) => floor(high * (rate + (1 - rate) * exp((1 - n) / d))),
  static: ([high]) => high,
  linear: ([high, low, , d], n) => max(low, ceil(high - d * (n - 1))),
  parabola: ([high, low, , d], n) => max(low, ceil(((low - high) / d ** 2) * (n - 1) ** 2 + high)),
  rctf: ([high, low], n, most) =>
    Math.round(max(...[n / max(1, most), 1].map((x) => low + (high - low) * rctf(x)))),
}
function pointsOf({ curve, originalScore: high, minScoreRate: rate, difficulty, solvers }, most) {
  if (curve !== 'rctf' && solvers <= 1) return high
  return curves[curve]([high, floor(rate * high), rate, difficulty], solvers, max(most, solvers))
}
const inOrder = (a, b) => a.time - b.time || a.order - b.order
const rounded = (thousandths, rest = thousandths % 1000, down = (thousandths - rest) / 1000) =>
  rest > 500 || (rest === 500 && down % 2) ? down + 1 : down
export function boardOfRecords(records) {
  const kinds = Map.groupBy(records, ({ kind }) => kind)
  const last = (kind) => new Map(kinds.get(kind)?.map(({ key, value }) => [key, value]))
  const list = (kind) => [...last(kind)].filter(([, value]) => value)
    .map(([key, value, [id, to] = key.split(' ').map(Number)]) => ({ ...value, id, to }))
  let [game, flags, rights, most] = [last('game').get(''), last('flag'), last('right'), 0]
  const challenges = new Map(list('challenge').map((c) => [c.id,
    { ...c, end: min(game.end, c.deadline ?? game.end), solvers: 0, bloods: 0, solves: [] }]))
  const divisions = new Map(list('division').map((d) => [d.name, [d.id, d.permissions ?? -1]]))
  const teams = new Map(list('participation').map(({ id, team, division: name }) => {
    const [division, bits] = divisions.get(name) ?? [0, -1]
    return [id, { team, division, bits, isRanked: (bits & 2) / 2, score: 0, solves: {} }]
  }))
  const may = ({ division, bits }, { id }, bit) =>
    (rights.get(`${division} ${id}`)?.permissions ?? bits) & bit
  const score = (id, points) => { if (teams.has(id)) teams.get(id).score += points }
  const move = (team, row) => { if (!team.last || inOrder(team.last, row) <= 0) team.last = row }
  for (const { participation, points } of list('award')) score(participation, points)
  for (const { participation, challenge, price, time } of list('hint'))
    if (challenges.has(challenge) && time < game.end) score(participation, -price)
  for (const row of list('found')) {
    const [team, challenge] = [teams.get(row.id), challenges.get(row.challenge)]
    const points = flags.get(String(row.to))?.points
    if (!team || !points || !(row.time < challenge?.end) || !may(team, challenge, 1024)) continue
    team.score += points
    move(team, row)
  }
  for (const row of list('solve').sort(inOrder)) {
    const [team, challenge] = [teams.get(row.id), challenges.get(row.to)]
    if (!team || !(row.time < challenge?.end)) continue
    if (may(team, challenge, 4096)) most = max(most, ++challenge.solvers)
    const place = challenge.hasBloods && may(team, challenge, 2048) ? ++challenge.bloods : 0
    challenge.solves.push({ row, team, place, fixed: pointsOf(challenge, most) })
    if (may(team, challenge, 1024)) move(team, row)
  }
  const shares = [20, 10, 0].map((bit) => (game.bloodBonus >> bit) & 1023)
  if (shares.some((share) => share > 1000)) shares.splice(0, 3, 50, 30, 10)
  const extra = game.bloodPoints && ['first', 'second', 'third'].map((at) => game.bloodPoints[at])
  for (const challenge of challenges.values())
    for (const { row, team, place, fixed } of challenge.solves) {
      const value = challenge.isValueFixed ? fixed : pointsOf(challenge, most)
      const points = extra
        ? value + (extra[place - 1] ?? 0) : rounded(value * (1000 + (shares[place - 1] ?? 0)))
      team.solves[challenge.id] = may(team, challenge, 1024) ? points : 0
      score(row.id, team.solves[challenge.id])
    }
  const tie = ({ last: a }, { last: b }) => (a && b ? inOrder(a, b) : !a - !b)
  return [...teams.values()].sort((a, b) => a.team - b.team)
    .sort((a, b) => b.isRanked - a.isRanked || b.score - a.score || tie(a, b))
    .map(({ isRanked, ...row }, at) => ({ ...row, rank: isRanked && at + 1 }))
}
if (process.argv[1]?.endsWith('verify-board.mjs')) {
  const { records, seal } = verifyChain(readFileSync(process.argv[2], 'utf8'), process.argv[3])
  for (const { rank, team, score } of boardOfRecords(records)) console.log([rank, team, score].join('\t'))
  console.log(`${seal.seal} records, sealed at ${new Date(seal.time).toISOString()}`)
}
