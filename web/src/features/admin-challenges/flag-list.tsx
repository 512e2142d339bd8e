import type { Challenge, FullChallenge } from '@capstan/contract/challenge'
import { hasSharedFlags } from '@capstan/contract/challenge-types'
import { InputLimits, Limits } from '@capstan/contract/limits'
import { Check, Download, ExternalLink, Flag, Pencil, Trash2, X } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isIntegerTextBetween, NumberInput } from '../../components/editing/number-field.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { type Column, DataTable, updateSelection } from '../../components/ui/data-table.tsx'
import { ConfirmationDialog } from '../../components/ui/dialog.tsx'
import { DownloadLink } from '../../components/ui/download-link.tsx'
import { FieldError } from '../../components/ui/field.tsx'
import { createSubmitHandler, useAction } from '../../components/ui/form.ts'
import { Input, SearchInput } from '../../components/ui/input.tsx'
import { Pagination } from '../../components/ui/pagination.tsx'
import { EmptyState, ErrorText } from '../../components/ui/states.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { Toolbar } from '../../components/ui/toolbar.tsx'
import { formatBytes, formatNumber } from '../../lib/format.ts'
import { fileNameOfUrl } from './attachment-name.ts'
import styles from './flags.module.css'
import { createFlagKeys, removeFlags, replaceFlag, saveChallenge } from './save-challenge.ts'
import { downloadAddressOfFile, fileSizeOf } from './shown-file.ts'
import { useReportUnsavedInput } from './unsaved.tsx'

const pageSize = 100

type FlagListProps = Readonly<{
  gameId: number
  whole: FullChallenge
}>

type ListedFlag = Challenge['flags'][number] & { readonly key: string }

/** List of a challenge's flags. Organizers can search, copy and delete the flags. */
export function FlagList({ gameId, whole }: FlagListProps) {
  const { t } = useTranslation('admin-challenges')
  const [search, setSearch] = useState('')
  const [page, setPage] = useState(0)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [asked, setAsked] = useState<readonly ListedFlag[]>([])
  const [edited, setEdited] = useState<string>()
  const closeEdit = () => {
    setEdited(undefined)
    // Closing the form renders the edit button of the row again, so focus this button after the next render.
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-edit="${CSS.escape(edited ?? '')}"]`)?.focus())
  }
  const { type } = whole.challenge
  const hasFiles = type === 'DynamicAttachment'
  const flags = useMemo<readonly ListedFlag[]>(() => {
    const keys = createFlagKeys(whole.challenge.flags)
    return whole.challenge.flags.map((flag, index) => ({ ...flag, key: keys[index] ?? '' }))
  }, [whole.challenge.flags])
  const hasPoints = flags.some(({ points }) => points !== undefined)
  const matching = useMemo(() => {
    const text = search.trim().toLowerCase()
    return flags.filter(
      ({ flag, file }) => flag.toLowerCase().includes(text) || (file && downloadAddressOfFile(file).toLowerCase().includes(text)),
    )
  }, [flags, search])
  const lastPage = Math.max(0, Math.ceil(matching.length / pageSize) - 1)
  const current = Math.min(page, lastPage)
  const shown = matching.slice(current * pageSize, (current + 1) * pageSize)
  const chosen = flags.filter(({ key }) => selected.has(key))
  const columns: readonly Column<ListedFlag>[] = [
    {
      head: t('flags.flag'),
      kind: 'name',
      bare: true,
      className: styles.flag,
      cell: (entry) => {
        const { key, flag, kind = 'Exact' } = entry
        if (key === edited) return <EditFlag gameId={gameId} whole={whole} entry={entry} onClose={closeEdit} />
        return (
          <>
            <code className="wrap-anywhere">{flag}</code> {kind !== 'Exact' && <Badge>{t(`rules.${kind}`)}</Badge>}
          </>
        )
      },
    },
    ...(hasFiles ? [{ head: t('flags.file'), cell: ({ file }: ListedFlag) => <FlagFile file={file} whole={whole} /> }] : []),
    ...(hasPoints
      ? [
          {
            head: t('flags.points'),
            kind: 'end' as const,
            cell: ({ key, points }: ListedFlag) =>
              key === edited ? null : points === undefined ? <span className="faint">–</span> : formatNumber(points),
          },
        ]
      : []),
    {
      head: t('flags.delete', { count: 1 }),
      kind: 'actions',
      cell: (entry) => (
        <>
          <CopyButton text={entry.flag} label={t('flags.copy')} />
          {!hasFiles && (
            <IconButton size="small" label={t('flags.edit')} data-edit={entry.key} onClick={() => setEdited(entry.key)}>
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
  if (flags.length === 0)
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
          keyOf={({ key }) => key}
          selection={{
            keys: selected,
            onSelect: (keys, isOn) => setSelected(updateSelection(selected, keys, isOn)),
            allLabel: t('flags.selectAll'),
            labelOf: ({ flag }) => t('flags.select', { flag }),
          }}
          dense
          listOnPhone
        />
      )}
      {hasPoints && <p className="small muted">{t('flags.parts', { count: flags.length })}</p>}
      {matching.length > pageSize && (
        <Pagination page={current} pageSize={pageSize} total={matching.length} itemsShown={shown.length} onPageChange={setPage} />
      )}
      {asked.length > 0 && (
        <DeleteFlags
          gameId={gameId}
          whole={whole}
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

type FlagFileProps = Readonly<{
  file: ListedFlag['file']
  whole: FullChallenge
}>

function FlagFile({ file, whole }: FlagFileProps) {
  if (file === null) return <span className="faint">–</span>
  const url = downloadAddressOfFile(file)
  const bytes = fileSizeOf(file, whole)
  return (
    <span className={cx('row', styles.file)}>
      {'hash' in file ? (
        <DownloadLink href={url} name={fileNameOfUrl(url)} className="inline gap-2 truncate">
          <Download aria-hidden />
          {fileNameOfUrl(url)}
        </DownloadLink>
      ) : (
        <a href={url} className="inline gap-2 truncate" target="_blank" rel="noopener noreferrer">
          <ExternalLink aria-hidden />
          {url}
        </a>
      )}
      {bytes !== null && <span className="tiny muted">{formatBytes(bytes)}</span>}
    </span>
  )
}

type EditFlagProps = FlagListProps &
  Readonly<{
    entry: ListedFlag
    onClose: () => void
  }>

function EditFlag({ gameId, whole, entry, onClose }: EditFlagProps) {
  const { t } = useTranslation('admin-challenges')
  const [flag, setFlag] = useState(entry.flag)
  const wanted = flag.trim()
  const isTaken = wanted !== entry.flag && whole.challenge.flags.some((other) => other.flag === wanted)
  const [points, setPoints] = useState(entry.points?.toString() ?? '')
  const hasPoints = hasSharedFlags(whole.challenge.type)
  const isNumber = points.trim() === '' || isIntegerTextBetween(points, 0, InputLimits.maxScore)
  const wantedPoints = points.trim() === '' ? undefined : Number(points)
  const isFit = wanted !== '' && !isTaken && isNumber
  const isChanged = wanted !== entry.flag || !isNumber || wantedPoints !== entry.points
  useReportUnsavedInput(isChanged)
  const save = useAction(async () => {
    if (isChanged) {
      const next = { flag: wanted, points: wantedPoints }
      await saveChallenge(gameId, whole, { change: (stored) => replaceFlag(stored, entry.key, next) })
      showToast({ tone: 'ok', title: t('flags.changed') })
    }
    onClose()
  })
  return (
    <form
      className={styles.edit}
      noValidate
      onSubmit={createSubmitHandler(() => (isFit ? save.run() : undefined))}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <Input
        className="mono"
        aria-label={t('flags.flag')}
        aria-invalid={isTaken || save.error !== undefined || undefined}
        autoComplete="off"
        spellCheck={false}
        autoFocus
        maxLength={entry.kind === 'Pattern' ? Limits.maxFlagPatternLength : Limits.maxFlagLength}
        value={flag}
        onChange={(event) => {
          setFlag(event.target.value)
          save.reset()
        }}
      />
      {hasPoints && (
        <NumberInput
          aria-label={t('flags.points')}
          aria-invalid={!isNumber || undefined}
          placeholder={t('flags.noPoints')}
          unit={t('unit.points')}
          min={0}
          max={InputLimits.maxScore}
          value={points}
          onValueChange={(text) => {
            setPoints(text)
            save.reset()
          }}
        />
      )}
      <IconButton type="submit" size="small" label={t('flags.save')} busy={save.busy} disabled={!isFit}>
        <Check />
      </IconButton>
      <IconButton size="small" label={t('flags.cancel')} disabled={save.busy} onClick={onClose}>
        <X />
      </IconButton>
      <FieldError>
        {isTaken
          ? t('flags.fault.known')
          : !isNumber
            ? t('flags.pointsFault')
            : save.error !== undefined && <ErrorText error={save.error} />}
      </FieldError>
    </form>
  )
}

type DeleteFlagsProps = FlagListProps &
  Readonly<{
    flags: readonly ListedFlag[]
    onClose: () => void
  }>

function DeleteFlags({ gameId, whole, flags, onClose }: DeleteFlagsProps) {
  const { t } = useTranslation('admin-challenges')
  const areLast = flags.length === whole.challenge.flags.length
  const remove = useAction(async () => {
    const keys = new Set(flags.map(({ key }) => key))
    await saveChallenge(gameId, whole, { change: (stored) => removeFlags(stored, keys) })
    showToast({ tone: 'ok', title: t('flags.deleted', { count: flags.length }) })
    onClose()
  })
  return (
    <ConfirmationDialog
      open
      onOpenChange={onClose}
      title={t('flags.deleteQuestion', { count: flags.length })}
      description={
        <>
          <p>{t(whole.challenge.type === 'DynamicAttachment' ? 'flags.deleteFiles' : 'flags.deleteText')}</p>
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
