import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Field } from '../../components/ui/field.tsx'
import { Input } from '../../components/ui/input.tsx'
import { ErrorText } from '../../components/ui/states.tsx'

/** User or team that the search found. */
export type Found = Readonly<{
  id: string
  name: string
  note: string
}>

type MemberPickerProps = Readonly<{
  label: string
  hint: string
  find: (hint: string) => Promise<readonly Found[]>
  busy: boolean
  onPick: (found: Found) => void
  onCancel?: () => void
}>

/** Delay between the last keystroke and the search, in ms. */
const typingMs = 250
const maxShown = 6

/** Search field that shows its results as buttons. */
export function MemberPicker({ label, hint, find, busy, onPick, onCancel }: MemberPickerProps) {
  const { t } = useTranslation(['admin-teams', 'common'])
  const [text, setText] = useState('')
  const [found, setFound] = useState<readonly Found[]>()
  const [error, setError] = useState<unknown>()
  const wanted = text.trim()
  // biome-ignore lint/correctness/useExhaustiveDependencies: `find` is a different function in each render
  useEffect(() => {
    setFound(undefined)
    setError(undefined)
    if (wanted === '') return
    let isCurrent = true
    const timer = setTimeout(() => {
      find(wanted).then(
        (results) => isCurrent && setFound(results),
        (failure: unknown) => isCurrent && setError(failure),
      )
    }, typingMs)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [wanted])
  return (
    <div className="stack gap-2">
      <Field label={label} hint={hint} error={error === undefined ? undefined : <ErrorText error={error} />}>
        {(control) => (
          <Input
            {...control}
            type="search"
            autoComplete="off"
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
          />
        )}
      </Field>
      {found?.length === 0 && (
        <p className="small muted" role="status">
          {t('admin-teams:form.nothingFound')}
        </p>
      )}
      {found && found.length > 0 && (
        <ul className="row gap-2">
          {found.slice(0, maxShown).map((one) => (
            <li key={one.id}>
              <Button
                size="small"
                disabled={busy}
                onClick={() => {
                  setText('')
                  onPick(one)
                }}
              >
                <bdi>{one.name}</bdi> <bdi className="muted">{one.note}</bdi>
              </Button>
            </li>
          ))}
        </ul>
      )}
      {onCancel && (
        <div className="row">
          <Button size="small" onClick={onCancel}>
            {t('common:action.cancel')}
          </Button>
        </div>
      )}
    </div>
  )
}
