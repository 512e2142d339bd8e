import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { ApiError } from '../../lib/http.ts'
import { renderInApp } from '../../testing/render.tsx'
import { Field } from './field.tsx'
import { FormDialog } from './form-dialog.tsx'
import { Input } from './input.tsx'

const user = userEvent.setup()

/** Shows a dialog with one required field. @returns the callbacks that the dialog has called: `submit` or `close` */
async function open(error?: unknown): Promise<string[]> {
  const calls: string[] = []
  await renderInApp(
    <FormDialog
      title="Create team"
      submitLabel="Create"
      busy={false}
      error={error}
      onSubmit={() => calls.push('submit')}
      onClose={() => calls.push('close')}
    >
      <Field label="Name">{(control) => <Input {...control} required />}</Field>
    </FormDialog>,
  )
  return calls
}

it('a dialog with a form submits by its button and by Enter, and cancel closes it', async () => {
  const calls = await open()
  await user.type(screen.getByRole('textbox', { name: 'Name' }), 'Mira')
  await user.click(screen.getByRole('button', { name: 'Create' }))
  await user.type(screen.getByRole('textbox', { name: 'Name' }), '{Enter}')
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(calls).toEqual(['submit', 'submit', 'close'])
})

it('a dialog with a form does not submit an empty required field', async () => {
  const calls = await open()
  await user.click(screen.getByRole('button', { name: 'Create' }))
  expect(calls).toEqual([])
})

it('a dialog with a form shows the error of its last submission', async () => {
  await open(new ApiError({ title: 'The team is locked', status: 400, httpStatus: 400 }))
  expect(screen.getByRole('alert').textContent).toContain('The team is locked')
})
