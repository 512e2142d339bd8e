import type { WholeChallenge } from '@capstan/contract/challenge'
import type { ChallengeEdit, FlagEntry, FlagKind } from '@capstan/contract/challenges'
import { Limits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { Check, Download, ExternalLink, Flag, Pencil, Trash2, X } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Badge } from '../../components/ui/badge.tsx'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { type Column, DataTable, withSelected } from '../../components/ui/data-table.tsx'
import { AlertDialog } from '../../components/ui/dialog.tsx'
import { DownloadLink } from '../../components/ui/download-link.tsx'
import { FieldError } from '../../components/ui/field.tsx'
import { onSubmit, useAction } from '../../components/ui/form.ts'
import { Input, SearchInput } from '../../components/ui/input.tsx'
import { Pagination } from '../../components/ui/pagination.tsx'
import { EmptyState, ErrorText } from '../../components/ui/states.tsx'
import { toast } from '../../components/ui/toast.ts'
import { Toolbar } from '../../components/ui/toolbar.tsx'
import { formatBytes } from '../../lib/format.ts'
import { refresh, useCall } from '../../lib/server-state.ts'
import { fileNameOf } from './attachment-name.ts'
import styles from './flags.module.css'
import { saveChallenge, withFlagText, withoutFlags } from './save-challenge.ts'
import { useUnsaved } from './unsaved.tsx'

const pageSize = 100

type FlagListProps = Readonly<{
  gameId: number
  challenge: ChallengeEdit
  whole: WholeChallenge
}>

/** Flags of a challenge: search, copy and delete. */
export function FlagList({ gameId, challenge, whole }: FlagListProps) {
  const { t } = useTranslation('admin-challenges')
  const [search, setSearch] = useState('')
  const [page, setPage] = useState(0)
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set())
  const [asked, setAsked] = useState<readonly FlagEntry[]>([])
  const [edited, setEdited] = useState<number>()
  const closeEdit = () => {
    setEdited(undefined)
    // The row's button exists again after this render.
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-edit="${edited}"]`)?.focus())
  }
  const hasFiles = challenge.type === 'DynamicAttachment'
  const rules = useCall(ownOperations.listFlagRules, { params: { id: gameId, cid: challenge.id } })
  const kinds = useMemo(() => new Map(rules.data?.map(({ id, kind }) => [id, kind])), [rules.data])
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
  const columns: readonly Column<FlagEntry>[] = [
    {
      head: t('flags.flag'),
      className: styles.flag,
      cell: (entry) => {
        const { id, flag } = entry
        const kind = kinds.get(id)
        if (id === edited)
          return <EditFlag {...{ gameId, challenge, whole }} entry={entry} kind={kind ?? 'Exact'} onClose={closeEdit} />
        return (
          <>
            <code className="wrap-anywhere">{flag}</code> {kind && kind !== 'Exact' && <Badge>{t(`rules.${kind}`)}</Badge>}
          </>
        )
      },
    },
    ...(hasFiles ? [{ head: t('flags.file'), cell: (entry: FlagEntry) => <FlagFile entry={entry} /> }] : []),
    {
      head: t('flags.delete', { count: 1 }),
      kind: 'actions',
      cell: (entry) => (
        <>
          <CopyButton text={entry.flag} label={t('flags.copy')} />
          {!hasFiles && rules.data && (
            <IconButton size="small" label={t('flags.edit')} data-edit={entry.id} onClick={() => setEdited(entry.id)}>
              <Pencil />
            </IconButton>
          )}
          <IconButton size="small" label={t('flags.delete', { count: 1 })} onClick={() => setAsked([entry])}>
            <Trash2 />
          </IconButton>
        </>
      ),
    },
  ]
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
        <DataTable
          label={t('flags.list')}
          columns={columns}
          rows={shown}
          keyOf={({ id }) => id}
          selection={{
            keys: selected,
            onSelect: (ids, isOn) => setSelected(withSelected(selected, ids, isOn)),
            allLabel: t('flags.selectAll'),
            labelOf: ({ flag }) => t('flags.select', { flag }),
          }}
          dense
        />
      )}
      {matching.length > pageSize && (
        <Pagination page={current} pageSize={pageSize} total={matching.length} itemsShown={shown.length} onPageChange={setPage} />
      )}
      {asked.length > 0 && (
        <DeleteFlags
          {...{ gameId, challenge, whole, kinds }}
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

type EditFlagProps = FlagListProps &
  Readonly<{
    entry: FlagEntry
    kind: FlagKind
    onClose: () => void
  }>

function EditFlag({ gameId, challenge, whole, entry, kind, onClose }: EditFlagProps) {
  const { t } = useTranslation('admin-challenges')
  const params = { id: gameId, cid: challenge.id }
  const [flag, setFlag] = useState(entry.flag)
  const wanted = flag.trim()
  const isTaken = wanted !== entry.flag && challenge.flags.some((other) => other.flag === wanted)
  const isFit = wanted !== '' && !isTaken
  useUnsaved(wanted !== entry.flag)
  const save = useAction(async () => {
    if (wanted !== entry.flag) {
      await saveChallenge(gameId, whole, { change: (stored) => withFlagText(stored, { ...entry, kind }, wanted) })
      await refresh(ownOperations.listFlagRules, { params })
      toast({ tone: 'ok', title: t('flags.changed') })
    }
    onClose()
  })
  return (
    <form
      className={styles.edit}
      noValidate
      onSubmit={onSubmit(() => (isFit ? save.run() : undefined))}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <Input
        className="mono"
        aria-label={t('flags.flag')}
        aria-invalid={isTaken || save.error !== undefined || undefined}
        autoComplete="off"
        spellCheck={false}
        autoFocus
        maxLength={kind === 'Pattern' ? Limits.maxFlagPatternLength : Limits.maxFlagLength}
        value={flag}
        onChange={(event) => {
          setFlag(event.target.value)
          save.reset()
        }}
      />
      <IconButton type="submit" size="small" label={t('flags.save')} busy={save.busy} disabled={!isFit}>
        <Check />
      </IconButton>
      <IconButton size="small" label={t('flags.cancel')} disabled={save.busy} onClick={onClose}>
        <X />
      </IconButton>
      <FieldError>{isTaken ? t('flags.fault.known') : save.error !== undefined && <ErrorText error={save.error} />}</FieldError>
    </form>
  )
}

type DeleteFlagsProps = FlagListProps &
  Readonly<{
    kinds: ReadonlyMap<number, FlagKind>
    flags: readonly FlagEntry[]
    onClose: () => void
  }>

function DeleteFlags({ gameId, challenge, whole, kinds, flags, onClose }: DeleteFlagsProps) {
  const { t } = useTranslation('admin-challenges')
  const areLast = flags.length === challenge.flags.length
  const remove = useAction(async () => {
    const named = flags.map((entry) => ({ ...entry, kind: kinds.get(entry.id) }))
    await saveChallenge(gameId, whole, { change: (stored) => withoutFlags(stored, named) })
    toast({ tone: 'ok', title: t('flags.deleted', { count: flags.length }) })
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
