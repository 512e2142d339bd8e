import type { ChallengeEdit, FlagEntry } from '@capstan/contract/challenges'
import { operations } from '@capstan/contract/operations'
import { Download, ExternalLink, Flag, Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { oneByOne } from '../../components/editing/one-by-one.ts'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { AlertDialog } from '../../components/ui/dialog.tsx'
import { DownloadLink } from '../../components/ui/download-link.tsx'
import { Checkbox } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { SearchInput } from '../../components/ui/input.tsx'
import { Pagination } from '../../components/ui/pagination.tsx'
import { EmptyState, ErrorText } from '../../components/ui/states.tsx'
import { Table, tableEnd } from '../../components/ui/table.tsx'
import { toast } from '../../components/ui/toast.ts'
import { Toolbar } from '../../components/ui/toolbar.tsx'
import { formatBytes } from '../../lib/format.ts'
import { call } from '../../lib/http.ts'
import { refresh } from '../../lib/server-state.ts'
import { fileNameOf } from './attachment-name.ts'
import styles from './flags.module.css'

const pageSize = 100

interface FlagListProps {
  readonly gameId: number
  readonly challenge: ChallengeEdit
}

/** The flags of a challenge: find, copy, delete one or many. */
export function FlagList({ gameId, challenge }: FlagListProps) {
  const { t } = useTranslation('admin-challenges')
  const [search, setSearch] = useState('')
  const [page, setPage] = useState(0)
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set())
  const [asked, setAsked] = useState<readonly FlagEntry[]>([])
  const hasFiles = challenge.type === 'DynamicAttachment'
  const matching = useMemo(() => {
    const text = search.trim().toLowerCase()
    return challenge.flags.filter(
      ({ flag, attachment }) => flag.toLowerCase().includes(text) || attachment?.url?.toLowerCase().includes(text),
    )
  }, [challenge.flags, search])
  const lastPage = Math.max(0, Math.ceil(matching.length / pageSize) - 1)
  const current = Math.min(page, lastPage)
  const shown = matching.slice(current * pageSize, (current + 1) * pageSize)
  const chosen = challenge.flags.filter(({ id }) => selected.has(id))
  const allShown = shown.length > 0 && shown.every(({ id }) => selected.has(id))
  const toggle = (ids: readonly number[], isOn: boolean) => {
    const next = new Set(selected)
    for (const id of ids) isOn ? next.add(id) : next.delete(id)
    setSelected(next)
  }
  if (challenge.flags.length === 0)
    return (
      <EmptyState icon={Flag} title={t('flags.empty')}>
        {t('flags.emptyText')}
      </EmptyState>
    )
  return (
    <div className="stack">
      <Toolbar
        search={<SearchInput label={t('flags.search')} value={search} onValueChange={setSearch} />}
        end={
          chosen.length > 0 && (
            <Button variant="danger" onClick={() => setAsked(chosen)}>
              <Trash2 aria-hidden />
              {t('flags.delete', { count: chosen.length })}
            </Button>
          )
        }
      />
      {shown.length === 0 ? (
        <p className="muted">{t('flags.noMatch')}</p>
      ) : (
        <Table label={t('flags.list')} dense>
          <thead>
            <tr>
              <th scope="col" className={styles.tick}>
                <Checkbox
                  bare
                  label={t('flags.selectAll')}
                  checked={allShown || (shown.some(({ id }) => selected.has(id)) && 'indeterminate')}
                  onCheckedChange={(isOn) =>
                    toggle(
                      shown.map(({ id }) => id),
                      isOn,
                    )
                  }
                />
              </th>
              <th scope="col">{t('flags.flag')}</th>
              {hasFiles && <th scope="col">{t('flags.file')}</th>}
              <th scope="col">
                <span className="visually-hidden">{t('flags.delete', { count: 1 })}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((entry) => (
              <tr key={entry.id} aria-selected={selected.has(entry.id)}>
                <td className={styles.tick}>
                  <Checkbox
                    bare
                    label={t('flags.select', { flag: entry.flag })}
                    checked={selected.has(entry.id)}
                    onCheckedChange={(isOn) => toggle([entry.id], isOn)}
                  />
                </td>
                <td className={styles.flag}>
                  <code className="wrap-anywhere">{entry.flag}</code>
                </td>
                {hasFiles && (
                  <td>
                    <FlagFile entry={entry} />
                  </td>
                )}
                <td className={tableEnd}>
                  <span className={styles.actions}>
                    <CopyButton text={entry.flag} label={t('flags.copy')} />
                    <IconButton size="small" label={t('flags.delete', { count: 1 })} onClick={() => setAsked([entry])}>
                      <Trash2 />
                    </IconButton>
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {matching.length > pageSize && (
        <Pagination page={current} pageSize={pageSize} total={matching.length} itemsShown={shown.length} onPageChange={setPage} />
      )}
      {asked.length > 0 && (
        <DeleteFlags
          gameId={gameId}
          challenge={challenge}
          flags={asked}
          onClose={() => {
            setAsked([])
            setSelected(new Set())
          }}
        />
      )}
    </div>
  )
}

function FlagFile({ entry }: { readonly entry: FlagEntry }) {
  const { attachment } = entry
  if (!attachment?.url) return <span className="faint">–</span>
  const { type, url } = attachment
  return (
    <span className={styles.file}>
      {type === 'Local' ? (
        <DownloadLink href={url} name={fileNameOf(url)} className="truncate">
          <Download aria-hidden />
          {fileNameOf(url)}
        </DownloadLink>
      ) : (
        <a href={url} className="truncate" target="_blank" rel="noopener noreferrer">
          <ExternalLink aria-hidden />
          {url}
        </a>
      )}
      {attachment.fileSize !== null && <span className="tiny muted">{formatBytes(attachment.fileSize)}</span>}
    </span>
  )
}

interface DeleteFlagsProps extends FlagListProps {
  readonly flags: readonly FlagEntry[]
  readonly onClose: () => void
}

function DeleteFlags({ gameId, challenge, flags, onClose }: DeleteFlagsProps) {
  const { t } = useTranslation('admin-challenges')
  const params = { id: gameId, cid: challenge.id }
  const areLast = flags.length === challenge.flags.length
  const remove = useAction(async () => {
    const { done, failed } = await oneByOne(flags, ({ id }) => call(operations.deleteFlag, { params: { ...params, fid: id } }))
    await refresh(operations.adminGetChallenge, { params })
    if (areLast) await refresh(operations.adminListChallenges, { params: { id: gameId } })
    const [first] = failed
    if (first && done.length === 0) throw first.error
    toast(
      first
        ? { tone: 'warn', title: t('flags.notDeleted', { count: failed.length }), text: <ErrorText error={first.error} /> }
        : { tone: 'ok', title: t('flags.deleted', { count: done.length }) },
    )
    onClose()
  })
  return (
    <AlertDialog
      open
      onOpenChange={onClose}
      title={t('flags.deleteQuestion', { count: flags.length })}
      description={
        <>
          <p>{t(challenge.type === 'DynamicAttachment' ? 'flags.deleteFiles' : 'flags.deleteText')}</p>
          {areLast && <p>{t('flags.deleteLast')}</p>}
        </>
      }
      confirm={t('flags.delete', { count: flags.length })}
      danger
      busy={remove.busy}
      error={remove.error === undefined ? undefined : <ErrorText error={remove.error} />}
      onConfirm={() => void remove.run()}
    />
  )
}
