import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { solveProofOfWork } from './proof-of-work.ts'

it.each(['0011223344556677', 'ffeeddccbbaa9988', '0000000000000000'])(
  'the worker solves the proof-of-work puzzle %s with 10 zero bits',
  (challenge) => {
    const answer = solveProofOfWork({ id: '0123456789ab', challenge, difficulty: 10 })
    const [id, nonce = ''] = answer.split(':')
    expect(id).toBe('0123456789ab')
    expect(nonce).toMatch(/^[0-9a-f]{16}$/)
    const hash = createHash('sha256')
      .update(Buffer.from(challenge + nonce, 'hex'))
      .digest()
    expect(hash.readUInt16BE() >> 6).toBe(0)
  },
)
