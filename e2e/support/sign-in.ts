import type { Page } from 'playwright-core'

/** Texts to type into the form, by the label of the field. `kind` is the kind of provider. By default, it is OpenID Connect. */
type ProviderFields = Readonly<Record<'Name' | 'Key' | 'Client ID' | 'Client secret', string>> &
  Readonly<{ Issuer?: string; kind?: string }>

/** Adds a provider in the form of the admin page. If the provider has an issuer, the function also tests the connection. */
export async function addProvider(page: Page, baseUrl: string, { kind, ...fields }: ProviderFields): Promise<void> {
  await page.goto('/admin/sign-in')
  await page.getByRole('button', { name: 'New provider' }).click()
  if (kind !== undefined) await page.getByLabel('Kind').selectOption(kind)
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value)
  await page.getByText(`Callback address: ${baseUrl}/account/sign-in/${fields.Key}`).waitFor()
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('button', { name: `Check the connection to ${fields.Name}` }).click()
  await page.getByText(`${fields.Name} answers as expected`, { exact: true }).waitFor()
}

/**
 * Changes a provider in the form of the admin page.
 * @param change edits the fields in the open dialog
 */
export async function changeProvider(page: Page, name: string, change: () => Promise<void>): Promise<void> {
  await page.getByRole('button', { name: `Edit ${name}` }).click()
  await change()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

export async function enableProvider(page: Page, name: string): Promise<void> {
  await changeProvider(page, name, () => page.getByRole('switch', { name: 'Show on the login page' }).click())
  await page.getByRole('row').filter({ hasText: name }).getByText('On', { exact: true }).waitFor()
}
