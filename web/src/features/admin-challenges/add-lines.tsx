import type { FullChallenge } from '@capstan/contract/challenge'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useDraft } from '../../components/editing/use-draft.ts'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Field, FieldError } from '../../components/ui/field.tsx'
import { createSubmitHandler, submitOnCtrlEnter } from '../../components/ui/form.ts'
import { Textarea } from '../../components/ui/input.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { parseFlagAndUrlLines, parseFlagLines } from './flag-lines.ts'
import styles from './flags.module.css'
import { FlagLineFaults } from './line-faults.tsx'
import { useReportUnsavedInput } from './unsaved.tsx'
import { useAddFlags } from './use-add-flags.ts'

type AddLinesProps = Readonly<{
  gameId: number
  whole: FullChallenge
  known: ReadonlySet<string>
  /** `flags`: each line is a flag. `pairs`: each line is a flag and the address of its file. */
  kind: 'flags' | 'pairs'
}>

/** Adds many flags, one per line. Typed lines remain until they are added, even after a reload. */
export function AddFlagLinesForm({ gameId, whole, known, kind }: AddLinesProps) {
  const { t } = useTranslation('admin-challenges')
  const draft = useDraft(`flags-${whole.id}-${kind}`, { text: '' })
  const { text } = draft.value
  useReportUnsavedInput(text.trim() !== '')
  const add = useAddFlags(gameId, whole)
  const [added, setAdded] = useState(0)
  const lines = kind === 'pairs' ? parseFlagAndUrlLines(text, known) : parseFlagLines(text, known)
  const isFit = lines.length > 0 && lines.every(({ fault }) => fault === undefined)
  const submit = async () => {
    if (!isFit) return
    const flags = lines.map(({ flag, url }) => ({ flag, file: url === undefined ? null : { url } }))
    if (!(await add.run(flags))) return
    draft.discard()
    setAdded(flags.length)
  }
  return (
    <form className="stack gap-2" noValidate onSubmit={createSubmitHandler(submit)}>
      <Field
        id={kind === 'pairs' ? 'newPairs' : 'newFlags'}
        label={t(kind === 'pairs' ? 'flags.pairsText' : 'flags.addText')}
        hint={t(kind === 'pairs' ? 'flags.pairsHint' : 'flags.addHint')}
      >
        {(control) => (
          <Textarea
            {...control}
            rows={5}
            spellCheck={false}
            wrap="off"
            className={cx('code', styles.lines)}
            placeholder={kind === 'pairs' ? 'flag{…} https://…\nflag{…} https://…' : 'flag{…}\nflag{…}'}
            value={text}
            onKeyDown={submitOnCtrlEnter}
            onChange={(event) => {
              draft.set({ text: event.target.value })
              setAdded(0)
              add.reset()
            }}
          />
        )}
      </Field>
      <FlagLineFaults lines={lines} />
      {add.error !== undefined && (
        <FieldError>
          <ErrorText error={add.error} />
        </FieldError>
      )}
      <div className="row">
        <Button type="submit" variant="primary" busy={add.busy} disabled={!isFit}>
          {t('flags.submit', { count: lines.length })}
        </Button>
        <span className="small muted" role="status">
          {added > 0 && t('flags.added', { count: added })}
        </span>
      </div>
    </form>
  )
}
