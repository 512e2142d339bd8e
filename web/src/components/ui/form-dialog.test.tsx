import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, expect, it } from 'vitest'
import { ApiError } from '../../lib/http.ts'
import { renderInApp } from '../../testing/render.tsx'
import { Field } from './field.tsx'
import { FormDialog } from './form-dialog.tsx'
import { Input } from './input.tsx'
import { toFormRefusal } from './refusal.tsx'

const user = userEvent.setup()

const { scrollIntoView } = Element.prototype
afterEach(() => {
  Element.prototype.scrollIntoView = scrollIntoView
})

/** Records the elements that scroll into view. */
function recordScrolling(): Element[] {
  const shown: Element[] = []
  Element.prototype.scrollIntoView = function (this: Element) {
    shown.push(this)
  }
  return shown
}

/** Dialog that the server refuses at each submission. The refusal concerns the second field, or no field. */
function RefusedDialog({ names }: { readonly names: string }) {
  const [error, setError] = useState<unknown>()
  const refusal = toFormRefusal(error, ['name', 'color'])
  return (
    <FormDialog
      title="Create team"
      submitLabel="Create"
      busy={false}
      onSubmit={async () => {
        await Promise.resolve()
        setError(new ApiError({ title: 'Not this', code: 'request.invalid', detail: names, status: 400, httpStatus: 400 }))
      }}
      onClose={() => undefined}
    >
      <Field label="Name">{(control) => <Input {...control} />}</Field>
      <details>
        <summary>More</summary>
        <Field label="Color" error={refusal.of('color')}>
          {(control) => <Input {...control} />}
        </Field>
      </details>
      {refusal.rest}
    </FormDialog>
  )
}

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

it('a refused submission moves the focus to the refused field, and unfolds the part that contains it', async () => {
  const shown = recordScrolling()
  await renderInApp(<RefusedDialog names="/color" />)
  await user.click(screen.getByRole('button', { name: 'Create' }))
  const color = await screen.findByLabelText('Color')
  await expect.poll(() => document.activeElement).toBe(color)
  expect(shown).toEqual([color])
  expect(color.closest('details')?.open).toBe(true)
})

it('a refused submission scrolls to its message if no field is refused', async () => {
  const shown = recordScrolling()
  await renderInApp(<RefusedDialog names="/other" />)
  await user.click(screen.getByRole('button', { name: 'Create' }))
  const message = await screen.findByRole('alert')
  await expect.poll(() => shown).toEqual([message])
})
