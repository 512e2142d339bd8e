import { awardOperations } from './awards.ts'
import { captchaOperations } from './captcha.ts'
import { certificateOperations } from './certificates.ts'
import { challengeOperations } from './challenges.ts'
import { correctionOperations } from './corrections.ts'
import { divisionOperations } from './divisions.ts'
import { exchangeOperations } from './exchange.ts'
import { feedOperations } from './feeds.ts'
import { gameMailOperations } from './game-mail.ts'
import { labelOperations } from './labels.ts'
import { monitorOperations } from './monitor.ts'
import { organizingOperations } from './organizing.ts'
import { platformOperations } from './platform.ts'
import { playingOperations } from './playing.ts'
import { profileOperations } from './profiles.ts'
import { questionOperations } from './questions.ts'
import { rejudgingOperations } from './rejudging.ts'
import { secondFactorOperations } from './second-factor.ts'
import { sessionOperations } from './sessions.ts'
import { signInOperations } from './sign-in.ts'
import { sourceOperations } from './sources.ts'
import { surveyOperations } from './surveys.ts'
import { ticketOperations } from './tickets.ts'
import { tokenOperations } from './tokens.ts'
import { watchingOperations } from './watching.ts'
import { webhookOperations } from './webhooks.ts'

/**
 * Calls that only this platform has, by operation id. They are separate from `operations`, because the API description for
 * clients of the reference platform must contain only calls of the reference platform.
 */
export const ownOperations = {
  ...sourceOperations,
  ...captchaOperations,
  ...profileOperations,
  ...labelOperations,
  ...divisionOperations,
  ...awardOperations,
  ...certificateOperations,
  ...correctionOperations,
  ...questionOperations,
  ...rejudgingOperations,
  ...organizingOperations,
  ...monitorOperations,
  ...challengeOperations,
  ...exchangeOperations,
  ...feedOperations,
  ...gameMailOperations,
  ...playingOperations,
  ...platformOperations,
  ...secondFactorOperations,
  ...sessionOperations,
  ...signInOperations,
  ...surveyOperations,
  ...ticketOperations,
  ...tokenOperations,
  ...watchingOperations,
  ...webhookOperations,
} as const
