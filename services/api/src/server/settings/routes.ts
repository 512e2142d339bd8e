import { operations, ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { isSetUp } from '../captcha/service.ts'
import { readUpload } from '../files/uploads.ts'
import { sendWithEtag } from '../http/ready-answer.ts'
import { createTestMailService } from '../mail/test-mail.ts'
import { presentClientConfig } from './presenter.ts'
import { createSettingsService } from './service.ts'

/** Routes of the settings: public for all users, complete for admins. Rules: docs/contract/admin.md#settings. */
export const settingsRoutes: FastifyPluginAsync = async (app) => {
  const settings = createSettingsService(app.deps)
  const testMails = createTestMailService(app.deps)
  const { config } = app.deps

  app.operation(operations.getClientConfig, async ({ request, reply }) =>
    sendWithEtag(request, reply, presentClientConfig(await settings.read())),
  )

  app.operation(operations.getCaptchaInfo, async () => {
    const { useCaptcha } = (await settings.read()).accountPolicy
    return useCaptcha && isSetUp(config.captcha)
      ? { type: config.captcha.provider, siteKey: config.captcha.siteKey }
      : { type: 'None' as const, siteKey: '' }
  })

  app.operation(operations.getSettings, async () => settings.read())

  app.operation(operations.updateSettings, async ({ body, record }) => {
    await settings.update(body)
    record('Changed the settings')
  })

  app.operation(ownOperations.getProjectLinks, async () => settings.readProject())

  app.operation(ownOperations.setProjectLinks, async ({ body, record }) => {
    await settings.setProject(body)
    record('Changed the links to the source')
    return settings.readProject()
  })

  app.operation(ownOperations.sendTestMail, async ({ body, record, request }) => {
    await testMails.send(body.recipient, request.language)
    record(`Sent a test mail to ${body.recipient}`)
  })

  app.operation(operations.setLogo, async ({ record, request }) => {
    const { field, maxBytes } = operations.setLogo.upload
    const { bytes } = await readUpload(request, field, maxBytes)
    await settings.setLogo(bytes)
    record('Changed the logo')
  })

  app.operation(operations.resetLogo, async ({ record }) => {
    await settings.resetLogo()
    record('Removed the logo')
  })
}
