import { operations } from '@capstan/contract/operations'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { LeaveGuard } from '../../components/editing/save-bar.tsx'
import { Alert } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { ConfirmationDialog, Dialog } from '../../components/ui/dialog.tsx'
import { Field, FieldError } from '../../components/ui/field.tsx'
import { FileDrop } from '../../components/ui/file-drop.tsx'
import { useAction } from '../../components/ui/form.ts'
import { Textarea } from '../../components/ui/input.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { ApiError, call } from '../../lib/http.ts'
import { useSession } from '../../lib/session.ts'
import { BulkPreview } from './bulk-preview.tsx'
import { type BulkRow, findRowByJsonPointer, listSkippedColumns, parseUserList, toAddUsersRequest } from './bulk-users.ts'
import { decodeUnicodeText } from './csv.ts'
import { refreshUsers } from './user-changes.ts'
import styles from './users.module.css'

const example = `userName,password,email,realName,stdNumber,phone,teamName
mira,Anchor-41,mira@example.org,Mira Ito,S-1017,,Reds
noor,Anchor-42,noor@example.org,Noor Haddad,S-1018,,Reds`

/** Dialog that adds users from a pasted or dropped list in one transaction. */
export function AddUsersDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation(['admin-users', 'common', 'editing'])
  const [text, setText] = useState('')
  const [isShuttingDown, setLeaving] = useState(false)
  const [isUnreadable, setIsUnreadable] = useState(false)
  const { profile } = useSession()
  const rows = useMemo(() => parseUserList(text, profile), [text, profile])
  const skipped = useMemo(() => listSkippedColumns(text), [text])
  const faulty = rows.filter(({ faults }) => faults.length > 0).length
  const add = useAction(async () => {
    // The timeout is long, because the server hashes a password per row. Thousands of rows take minutes on a busy machine.
    await call(operations.addUsers, { body: toAddUsersRequest(rows), timeoutMs: 300_000 })
    await refreshUsers()
    showToast({ tone: 'ok', title: t('admin-users:bulk.done', { count: rows.length }) })
    onClose()
  })
  const close = () => (text.trim() === '' ? onClose() : setLeaving(true))
  const replace = (next: string) => {
    add.reset()
    setIsUnreadable(false)
    setText(next)
  }
  const readFile = async (file: File | undefined) => {
    if (!file) return
    const content = decodeUnicodeText(await file.arrayBuffer())
    if (content === undefined) setIsUnreadable(true)
    else replace(content)
  }
  return (
    <Dialog
      open
      onOpenChange={close}
      size="huge"
      keepOpenOutside={text !== ''}
      title={t('admin-users:bulk.title')}
      description={t('admin-users:bulk.text')}
      footer={
        <>
          <Button onClick={close}>{t('common:action.cancel')}</Button>
          <Button variant="primary" busy={add.busy} disabled={rows.length === 0 || faulty > 0} onClick={() => void add.run()}>
            {rows.length === 0 ? t('admin-users:bulk.submitEmpty') : t('admin-users:bulk.submit', { count: rows.length })}
          </Button>
        </>
      }
    >
      <div className="stack">
        <div className={styles.sources}>
          <Field label={t('admin-users:bulk.paste')}>
            {(control) => (
              <Textarea
                {...control}
                rows={6}
                value={text}
                placeholder={example}
                spellCheck={false}
                className={cx('code', styles.source)}
                onChange={(event) => replace(event.target.value)}
              />
            )}
          </Field>
          <FileDrop
            label={t('admin-users:bulk.drop')}
            hint={t('admin-users:bulk.dropHint')}
            accept=".csv,.tsv,.txt,text/csv,text/plain"
            error={isUnreadable ? t('admin-users:bulk.unreadable') : undefined}
            onFiles={([file]) => void readFile(file)}
          />
        </div>
        {add.error !== undefined && <Refusal error={add.error} rows={rows} />}
        <BulkPreview rows={rows} skipped={skipped} />
        <Alert>{t('admin-users:bulk.rule')}</Alert>
      </div>
      <LeaveGuard isDirtyNow={() => text.trim() !== ''} onLeave={onClose} />
      <ConfirmationDialog
        open={isShuttingDown}
        onOpenChange={setLeaving}
        title={t('editing:leaveTitle')}
        description={t('editing:leaveText')}
        confirm={t('editing:leave')}
        cancel={t('editing:stay')}
        danger
        onConfirm={onClose}
      />
    </Dialog>
  )
}

/** Reason why the server refused the list, with the number of the refused line. */
function Refusal({ error, rows }: Readonly<{ error: unknown; rows: readonly BulkRow[] }>) {
  const { t } = useTranslation('admin-users')
  const place = useRef<HTMLDivElement>(null)
  // The list above may be longer than the dialog, so scroll to the reason.
  useEffect(() => place.current?.scrollIntoView({ block: 'nearest' }), [])
  const row = error instanceof ApiError ? findRowByJsonPointer(rows, error.detail) : undefined
  return (
    <div ref={place}>
      <FieldError>
        {row && error instanceof ApiError ? (
          t('bulk.refusedAt', { line: row.line, text: error.message })
        ) : (
          <ErrorText error={error} />
        )}
      </FieldError>
    </div>
  )
}
