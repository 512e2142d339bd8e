import { PowChallenge } from '../accounts.ts'
import { operation } from '../operation.ts'

export const captchaOperations = {
  createPowChallenge: operation({
    tag: 'Info',
    method: 'GET',
    path: '/api/captcha/powchallenge',
    access: 'anonymous',
    rateLimit: 'powChallenge',
    summary: 'Proof-of-work challenge to solve',
    description: 'Valid once, for five minutes. 404 unless the captcha is a proof of work.',
    response: PowChallenge,
    errors: [404, 429, 500],
  }),
} as const
