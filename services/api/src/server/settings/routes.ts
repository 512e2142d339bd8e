import { operations, ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { createPowChallenge } from '../captcha/proof-of-work.ts'
import { isCaptchaConfigured } from '../captcha/service.ts'
import { queueCallerOf } from '../fair-queue.ts'
import { readUpload } from '../files/uploads.ts'
import { sendWithEtag } from '../http/ready-answer.ts'
import { countWaitingMails } from '../mail/service.ts'
import { sendTestMail } from '../mail/test-mail.ts'
import { presentClientConfig } from './presenter.ts'
import { readSettings, readSourceLink, resetLogo, setLogo, setSourceLink, updateSettings } from './service.ts'

/**
 * Routes of the settings. All users can read the public settings, and admins can read all settings. Rules:
 * docs/contract/admin.md#settings.
 */
export const settingsRoutes: FastifyPluginAsync = async (app) => {
  const { config } = app.deps

  app.operation(operations.getClientConfig, async ({ request, reply }) =>
    sendWithEtag(request, reply, presentClientConfig(await readSettings(app.deps))),
  )

  app.operation(operations.getCaptchaInfo, async () => {
    const { useCaptcha } = (await readSettings(app.deps)).accountPolicy
    return useCaptcha && isCaptchaConfigured(config.captcha)
      ? { type: config.captcha.provider, siteKey: config.captcha.siteKey }
      : { type: 'None' as const, siteKey: '' }
  })

  app.operation(ownOperations.createPowChallenge, async () => createPowChallenge(app.deps))

  app.operation(operations.getSettings, async () => readSettings(app.deps))

  app.operation(operations.updateSettings, async ({ body, record }) => {
    await updateSettings(app.deps, body)
    record('Changed the settings')
  })

  app.operation(ownOperations.getProjectLinks, async () => readSourceLink(app.deps))

  app.operation(ownOperations.setProjectLinks, async ({ body, record }) => {
    await setSourceLink(app.deps, body)
    record('Changed the links to the source')
    return readSourceLink(app.deps)
  })

  app.operation(ownOperations.getMailState, async () => ({ waiting: await countWaitingMails(app.deps) }))

  app.operation(ownOperations.sendTestMail, async ({ body, record, request }) => {
    await sendTestMail(app.deps, body.recipient, request.language)
    record(`Sent a test mail to ${body.recipient}`)
  })

  app.operation(operations.setLogo, async ({ user, record, request }) => {
    const { field, maxBytes } = operations.setLogo.upload
    const { bytes } = await readUpload(request, field, maxBytes)
    await setLogo(app.deps, bytes, queueCallerOf(request.ip, user.id))
    record('Changed the logo')
  })

  app.operation(operations.resetLogo, async ({ record }) => {
    await resetLogo(app.deps)
    record('Removed the logo')
  })
}
