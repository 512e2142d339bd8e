import type { PowChallenge } from '@capstan/contract/accounts'
import { solveProofOfWork } from './proof-of-work.ts'

addEventListener('message', ({ data }: MessageEvent<PowChallenge>) => postMessage(solveProofOfWork(data)))
