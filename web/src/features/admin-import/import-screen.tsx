import type { ImportPreview, ImportRepairs, ImportResult } from '@capstan/contract/exchange'
import { operations, ownOperations } from '@capstan/contract/operations'
import { ArrowLeft, FolderOpen } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { Alert } from '../../components/ui/badge.tsx'
import { Button, ButtonLink } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { cx } from '../../components/ui/cx.ts'
import { NamedValue, NamedValueList } from '../../components/ui/facts.tsx'
import { FileDrop } from '../../components/ui/file-drop.tsx'
import { useAction } from '../../components/ui/form.ts'
import { Progress } from '../../components/ui/progress.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { ApiError, upload } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { refreshCall } from '../../lib/server-state.ts'
import { type Collected, collectChosenFiles, collectDroppedFiles, sheetName, TooMuch } from './collect-files.ts'
import { useDropped } from './dropped.ts'
import { FindingList } from './finding-list.tsx'
import { formatPositions } from './format-positions.ts'
import styles from './import.module.css'
import { ImportReport } from './import-report.tsx'
import { packFiles } from './pack-files.ts'
import { PreviewedChallenge } from './previewed-challenge.tsx'

type Shown = Readonly<{
  file: File
  repairs: ImportRepairs
  preview: ImportPreview
}>

function readable({ challenges }: ImportPreview): number[] {
  return challenges.filter(({ isRefused }) => !isRefused).map(({ position }) => position)
}

/** Previews the challenges of an archive or folder, and imports the selected ones. */
export function ImportScreen({ gameId }: { readonly gameId: number }) {
  const { t } = useTranslation('admin-import')
  const navigate = useNavigate()
  const [share, setShare] = useState(0)
  const [shown, setShown] = useState<Shown>()
  const [taken, setTaken] = useState<ReadonlySet<number>>(new Set())
  const [result, setResult] = useState<ImportResult>()
  const folder = useRef<HTMLInputElement>(null)
  const made = useRef<HTMLElement>(null)
  const report = useRef<HTMLElement>(null)
  const takeDropped = useDropped((state) => state.take)
  const params = { id: gameId }

  const readArchive = useAction(async (collected: Collected | Promise<Collected>) => {
    setShare(0)
    const file = await packFiles(await collected)
    const preview = await upload(ownOperations.previewImport, { params, files: [file], onProgress: setShare })
    setTaken(new Set(preview.challenges.filter(({ isRefused, isKnown }) => !isRefused && !isKnown).map((each) => each.position)))
    setShown({ file, repairs: {}, preview })
  })
  const repair = useAction(async (repairs: ImportRepairs) => {
    if (!shown) return
    setShare(0)
    const { file } = shown
    const preview = await upload(ownOperations.previewImport, { params, query: repairs, files: [file], onProgress: setShare })
    setShown({ file, repairs, preview })
    // Move the focus, because the pressed button may have been removed.
    report.current?.focus()
  })
  const importSelected = useAction(async () => {
    if (!shown) return
    setShare(0)
    const query = { ...shown.repairs, digest: shown.preview.digest, take: formatPositions(taken) }
    setResult(await upload(ownOperations.importChallenges, { params, query, files: [shown.file], onProgress: setShare }))
    await refreshCall(operations.adminListChallenges, { params })
  })
  const importAsGame = useAction(async () => {
    if (!shown) return
    setShare(0)
    const id = await upload(ownOperations.importGame, { files: [shown.file], onProgress: setShare })
    await refreshCall(operations.adminListGames)
    await navigate(paths.adminGameInfo.to(id))
  })
  const { run } = readArchive
  useEffect(() => {
    const dropped = takeDropped()
    if (dropped) void run(dropped)
  }, [takeDropped, run])

  // The clicked button was removed, so move the focus to the result.
  useEffect(() => {
    if (result) made.current?.focus()
  }, [result])

  const busy = readArchive.busy || repair.busy || importSelected.busy || importAsGame.busy
  const error = readArchive.error ?? repair.error ?? importSelected.error ?? importAsGame.error
  const choose = (files: readonly File[]) => {
    if (files.length > 0) void run(Promise.resolve().then(() => collectChosenFiles(files)))
  }
  const chooseAnother = () => {
    setShown(undefined)
    // Clear the results, because they belong to the previous archive.
    repair.reset()
    importSelected.reset()
    importAsGame.reset()
  }
  const list = paths.adminGameChallenges.to(gameId)
  const preview = shown?.preview
  const possible = preview ? readable(preview) : []
  const leftOut = preview?.findings ?? []
  return (
    <div className="stack">
      <Link to={list} className="back">
        <ArrowLeft aria-hidden />
        {t('back')}
      </Link>
      <h1>{t('title')}</h1>
      {!preview && (
        <Card>
          <div className="stack">
            <FileDrop
              label={t('drop')}
              hint={t('dropHint')}
              accept=".zip,.csv"
              disabled={busy}
              onFiles={choose}
              onEntries={(entries) => void run(collectDroppedFiles(entries))}
            />
            <div className="row gap-2">
              <Button busy={readArchive.busy} onClick={() => folder.current?.click()}>
                <FolderOpen aria-hidden />
                {t('folder')}
              </Button>
              <input
                ref={folder}
                type="file"
                hidden
                multiple
                {...{ webkitdirectory: '' }}
                onChange={(event) => {
                  choose([...(event.target.files ?? [])])
                  event.target.value = ''
                }}
              />
            </div>
            <Formats />
          </div>
        </Card>
      )}
      {busy && <Progress label={t('sending')} value={share} />}
      {error !== undefined && (
        <Alert tone="bad" title={error instanceof TooMuch ? t(`tooMuch.${error.of}`) : <ErrorText error={error} />}>
          {error instanceof ApiError && error.code?.startsWith('import.') ? error.detail : undefined}
        </Alert>
      )}
      {preview && !result && (
        <>
          {preview.game !== null && (
            <Alert
              title={t('package', { title: preview.game })}
              actions={
                <Button busy={importAsGame.busy} disabled={busy} onClick={() => void importAsGame.run()}>
                  {t('makeGame')}
                </Button>
              }
            >
              {t('packageText')}
            </Alert>
          )}
          {leftOut.length > 0 && (
            <Alert tone="warn" title={t('leftOutEntries', { count: leftOut.length })}>
              <details>
                <summary>{t('details')}</summary>
                <FindingList findings={leftOut} />
              </details>
            </Alert>
          )}
          <ImportReport
            ref={report}
            preview={preview}
            repairs={shown.repairs}
            busy={busy}
            onRepair={(repairs) => void repair.run(repairs)}
          />
          <Card
            flush
            title={t('found', { count: preview.challenges.length })}
            actions={
              <Button
                size="small"
                variant="ghost"
                onClick={() => setTaken(taken.size === possible.length ? new Set() : new Set(possible))}
              >
                {t(taken.size === possible.length ? 'none' : 'all')}
              </Button>
            }
          >
            <div className="divided">
              {preview.challenges.map((challenge) => (
                <PreviewedChallenge
                  key={challenge.position}
                  challenge={challenge}
                  taken={taken.has(challenge.position)}
                  onTaken={(isTaken) => {
                    const next = new Set(taken)
                    if (isTaken) next.add(challenge.position)
                    else next.delete(challenge.position)
                    setTaken(next)
                  }}
                />
              ))}
            </div>
          </Card>
          <div className={cx('row row-between', styles.bar)}>
            <span className="muted">{t(shown.repairs.enableAll ? 'enabledNote' : 'disabledNote')}</span>
            <div className="row gap-2">
              <Button disabled={busy} onClick={chooseAnother}>
                {t('other')}
              </Button>
              <Button
                variant="primary"
                busy={importSelected.busy}
                disabled={taken.size === 0 || busy}
                onClick={() => void importSelected.run()}
              >
                {t('submit', { count: taken.size })}
              </Button>
            </div>
          </div>
        </>
      )}
      {result && (
        <Card ref={made} tabIndex={-1} title={t('done', { count: result.challenges.length })}>
          <div className="stack">
            <p className="muted">{t(shown?.repairs.enableAll ? 'doneEnabledText' : 'doneText')}</p>
            <ul className="stack gap-1">
              {result.challenges.map(({ id, title }) => (
                <li key={id}>
                  <Link to={paths.adminGameChallenge.to(gameId, id)}>
                    <bdi>{title}</bdi>
                  </Link>
                </li>
              ))}
            </ul>
            <div className="row gap-2">
              <ButtonLink variant="primary" to={list}>
                {t('toList')}
              </ButtonLink>
            </div>
          </div>
        </Card>
      )}
    </div>
  )
}

/** Format names, which are the same in every language. */
const formatNames = {
  capstan: 'Capstan',
  ctfcli: 'ctfcli',
  rcds: 'rcds',
  kctf: 'kCTF',
  konata: 'Konata',
  klodd: 'klodd',
} as const
const ctfd = 'CTFd'
const formats = Object.keys(formatNames) as (keyof typeof formatNames)[]

/** Values for the placeholders in the sentence about each format. */
const recognizedBy = {
  capstan: {},
  ctfcli: { file: 'challenge.yml' },
  rcds: { file: 'challenge.yaml, challenge.toml' },
  kctf: { file: 'challenge.yaml', kind: 'Challenge' },
  konata: { key: 'challenges' },
  klodd: { kind: 'Challenge' },
} as const

/** List of supported formats, with the files that identify each. */
function Formats() {
  const { t } = useTranslation('admin-import')
  return (
    <section aria-label={t('formatList.label')}>
      <p className="small muted">{t('formats')}</p>
      <NamedValueList kind="pairs" className="small above-4">
        {formats.map((name) => (
          <NamedValue key={name} name={formatNames[name]}>
            {t(`formatList.${name}.text`, recognizedBy[name])}
          </NamedValue>
        ))}
        <NamedValue name={t('formatList.package.name')}>{t('formatList.package.text')}</NamedValue>
        <NamedValue name={sheetName}>{t('formatList.sheet')}</NamedValue>
        <NamedValue name={ctfd}>
          {t('formatList.ctfd')} <Link to={`${paths.adminGames.to()}?import=ctfd`}>{t('formatList.toCtfd')}</Link>
        </NamedValue>
      </NamedValueList>
    </section>
  )
}
