import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { describeJourneys } from '../support/journeys.ts'
import { aCrew, randomSuffix } from '../support/organizer.ts'
import { findAxeViolations } from '../support/story.ts'

describeJourneys('the second factor', (stage) => {
  const { baseUrl, openPage } = stage

  test('a player sets up an authenticator app, and logs in with a recovery code on a phone', async () => {
    const crew = await aCrew(baseUrl, `Keys ${randomSuffix()}`)
    const { page, errors, close } = await openPage({ actor: crew.actor })
    await page.goto('/account/profile')
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Current password').fill(crew.password)
    await dialog.getByRole('button', { name: 'Next' }).click()
    await dialog.getByRole('img', { name: 'QR code for authenticator apps' }).waitFor()
    // Move the pointer away from the controls of the dialog, so that no tooltip is open.
    await page.mouse.move(1, 1)
    await page.getByRole('tooltip').waitFor({ state: 'detached' })
    expect(await findAxeViolations(page)).toEqual([])
    const secret = await dialog.getByRole('status', { name: 'Secret' }).innerText()
    await dialog.getByLabel('Code').fill(new TOTP({ secret: Secret.fromBase32(secret) }).generate())
    await dialog.getByRole('button', { name: 'Switch on' }).click()
    const codes = dialog.getByRole('list', { name: 'Your recovery codes' }).getByRole('listitem')
    await codes.first().waitFor()
    expect(await findAxeViolations(page)).toEqual([])
    const [code = ''] = await codes.allInnerTexts()
    await dialog.getByRole('button', { name: 'I have saved them' }).click()
    await page.getByText('10 recovery codes left').waitFor()

    const phone = await openPage({ width: 390, height: 844 })
    await phone.page.goto('/account/login?from=%2Faccount%2Fprofile')
    await phone.page.getByLabel('Username or email').fill(crew.userName)
    await phone.page.getByLabel('Password', { exact: true }).fill(crew.password)
    await phone.page.getByRole('button', { name: 'Log in' }).click()
    await phone.page.getByLabel('Code').fill(code)
    expect(await findAxeViolations(phone.page)).toEqual([])
    await phone.page.getByRole('button', { name: 'Log in' }).click()
    await phone.page.waitForURL('**/account/profile')
    await phone.page.getByText('9 recovery codes left').waitFor()
    expect([...errors, ...phone.errors]).toEqual([])
    await phone.close()
    await close()
  })
})
