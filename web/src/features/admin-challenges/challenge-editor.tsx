import type { FullChallenge } from '@capstan/contract/challenge'
import type { ChallengeLabels } from '@capstan/contract/challenge-labels'
import { pointsOfFlags } from '@capstan/contract/challenge-parts'
import { hasContainer } from '@capstan/contract/challenge-types'
import type { ChallengeCategory, ChallengeType } from '@capstan/contract/challenges'
import type { AdminGame } from '@capstan/contract/games'
import type { Hint } from '@capstan/contract/hints'
import { operations, ownOperations } from '@capstan/contract/operations'
import { ArrowLeft, Eye } from 'lucide-react'
import { type ReactNode, useEffect, useId, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { focusFirstRequiredField, SaveBar } from '../../components/editing/save-bar.tsx'
import { useDraft } from '../../components/editing/use-draft.ts'
import { useFocusOnAddressedField } from '../../components/editing/use-field-of-address.ts'
import { TerminalDock } from '../../components/instances/terminal/terminal-dock.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { useAction } from '../../components/ui/form.ts'
import { useNow } from '../../components/ui/time.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { phaseOfGame } from '../../lib/game.ts'
import { paths } from '../../lib/paths.ts'
import { findRefusedField } from '../../lib/problem-fields.ts'
import { useQueryChoice } from '../../lib/query-state.ts'
import { refreshCall, useCall } from '../../lib/server-state.ts'
import { AttachmentCard } from './attachment-card.tsx'
import {
  applyFormChanges,
  type ChallengeForm,
  findChallengeFaults,
  toChallengeForm,
  toScoreCurve,
  toStoredHints,
} from './challenge-form.ts'
import { ChallengeMaintenanceCard } from './challenge-maintenance-card.tsx'
import { ChallengeCheckList, listChallengeChecks } from './check-list.tsx'
import { ContainerSection } from './container-section.tsx'
import { removeSecretValues } from './containers-form.ts'
import { mergeContainers } from './containers-merge.ts'
import styles from './editor.module.css'
import { listEditorSections, listSectionsWithFields, refusableFields, type SectionName } from './editor-sections.ts'
import { rateFlagFileSupply } from './flag-lines.ts'
import { FlagsSection } from './flags-section.tsx'
import { LabelsCard } from './labels-card.tsx'
import { NeighborLinks } from './neighbors.tsx'
import { ChallengePlayerPreview } from './player-preview.tsx'
import { RejudgePanel } from './rejudge-panel.tsx'
import { saveChallenge } from './save-challenge.ts'
import { chartValueAt } from './score-curve.ts'
import { SectionNav } from './section-nav.tsx'
import { AttemptsCard, ChallengeTextCard, HintsCard, ScheduleCard, ScoreCard } from './sections.tsx'
import { downloadAddressOfFile, fileSizeOf } from './shown-file.ts'
import { UnlockCard } from './unlock-card.tsx'
import { UnsavedInputWatcher } from './unsaved.tsx'
import { useContainerSelection } from './use-container-selection.ts'
import { useRejudging } from './use-rejudging.ts'
import { useTestReport } from './use-test-report.ts'

/** Challenge as players would see it if the entered values were saved. */
export type PreviewedChallenge = Readonly<{
  title: string
  category: ChallengeCategory
  type: ChallengeType
  content: string
  hints: readonly Hint[]
  labels: ChallengeLabels
  url: string | undefined
  /** Size in bytes. Null for an external file. */
  fileSize: number | null
  /** Points of the challenge and of its flags. */
  score: number
  flagPoints: readonly number[]
  solved: number
}>

type ChallengeEditorProps = Readonly<{
  game: AdminGame
  whole: FullChallenge
  /** Renders the dialog that players see. When the dialog closes, the focus returns to the element with the id `returnTo`. */
  renderPreview: (challenge: PreviewedChallenge, onClose: () => void, returnTo: string) => ReactNode
}>

const formRules = { redact: removeSecretValues, merges: { containers: mergeContainers } }

/** Editor for all parts of a challenge. Each section has its own address, and hidden sections retain their input. */
export function ChallengeEditor({ game, whole, renderPreview }: ChallengeEditorProps) {
  const { t } = useTranslation('admin-challenges')
  const { challenge } = whole
  const params = { id: game.id, cid: whole.id }
  const { type } = challenge
  const draft = useDraft(`challenge-form-${game.id}-${whole.id}`, toChallengeForm(whole), formRules)
  const faults = useMemo(() => findChallengeFaults(draft.value, type), [draft.value, type])
  const selection = useContainerSelection(draft.value, whole)
  const faultyFields = [...fieldsOf(faults), ...(selection.hasFault ? (['containers'] as const) : [])]
  const phase = phaseOfGame(game, useNow(30_000))
  const teams = useTeamCount(game.id, type === 'DynamicAttachment')
  const report = useTestReport(hasContainer(type) ? game.id : undefined, whole.id, { isStarting: false })
  const supply = rateFlagFileSupply(challenge.flags.length, teams, phase === 'upcoming')
  const checks = listChallengeChecks(challenge, { hasRun: report?.hasRun ?? false, supply })
  const sections = useMemo(() => listEditorSections(type), [type])
  const [own, setOwn] = useState<ReadonlySet<SectionName>>(new Set())
  const [isPreviewed, setPreviewed] = useState(false)
  const previewButton = useId()
  const save = useAction(async () => {
    let sent = draft.changes
    const saved = await saveChallenge(game.id, whole, {
      change: (stored) => {
        sent = draft.changesOn(toChallengeForm({ challenge: stored }))
        return applyFormChanges(stored, sent, whole.choices)
      },
      isContested: (newer) => draft.conflictsWith(toChallengeForm(newer)).length > 0,
    })
    if (!saved) return
    draft.settle(sent)
    if (hasContainer(type))
      await Promise.all([
        refreshCall(ownOperations.getTestReport, { params }),
        refreshCall(ownOperations.listTestInstanceWays, { params }),
      ])
    showToast({ tone: 'ok', title: t('editor.saved') })
  })
  const refusal = refusalOf(save.error)
  const faulty = listSectionsWithFields([...faultyFields, ...(refusal ? [refusal.field] : [])])
  const { current, showFault: showFaultySection } = useSection(sections, faulty)
  const rejudging = useRejudging(game.id, whole, { hasSubmissions: phase !== 'upcoming', areFlagsShown: current === 'flags' })
  const showFault = () => {
    selection.selectFaulty()
    showFaultySection()
  }
  const refused = refusal?.field
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each failed save, not for each render
  useEffect(() => {
    if (refused) showFault()
  }, [save.error])
  const section = {
    form: draft.value,
    faults,
    refusal,
    set: (patch: Partial<ChallengeForm>) => {
      if (refused && refused in patch) save.reset()
      draft.set(patch)
    },
  }
  const contents: Record<SectionName, ReactNode> = {
    about: (
      <div className="columns-even">
        <div className="stack">
          <ChallengeTextCard {...section} />
          <LabelsCard {...section} gameId={game.id} />
        </div>
        <ChallengePlayerPreview form={draft.value} score={previewOf(draft.value, whole).score} solvers={whole.solvers} />
      </div>
    ),
    hints: <HintsCard {...section} />,
    flags: <FlagsSection {...section} gameId={game.id} whole={whole} teams={teams} supply={supply} />,
    files: <AttachmentCard gameId={game.id} whole={whole} />,
    container: (
      <ContainerSection
        gameId={game.id}
        whole={whole}
        containers={draft.value.containers}
        selection={selection}
        onChange={(containers) => section.set({ containers })}
        hasUnsaved={draft.changes.containers !== undefined}
      />
    ),
    score: <ScoreCard {...section} solvers={whole.solvers} />,
    rules: (
      <div className="stack">
        <ScheduleCard {...section} />
        <UnlockCard {...section} gameId={game.id} challengeId={whole.id} />
        <AttemptsCard {...section} />
      </div>
    ),
    upkeep: <ChallengeMaintenanceCard gameId={game.id} editedChallenge={whole} rejudging={rejudging} onDelete={draft.discard} />,
  }
  return (
    <>
      <div inert={isPreviewed}>
        <div className="stack below-4">
          <div className={cx('row gap-2 row-between', styles.neighbors)}>
            <Link to={paths.adminGameChallenges.to(game.id)} className="back">
              <ArrowLeft aria-hidden />
              {t('editor.back')}
            </Link>
            <NeighborLinks gameId={game.id} challengeId={whole.id} section={current} />
          </div>
          <div className="row">
            <h1 className="size-20 wrap-anywhere">{challenge.title}</h1>
            <Badge>{t(`type.${type}`)}</Badge>
            <Button id={previewButton} className="end" onClick={() => setPreviewed(true)}>
              <Eye aria-hidden />
              {t('preview.open')}
            </Button>
          </div>
          <ChallengeCheckList game={game} whole={whole} checks={checks} phase={phase} />
        </div>
        <div className={styles.editor}>
          <div className="stack gap-3">
            <SectionNav
              sections={sections}
              current={current}
              counts={{ flags: challenge.flags.length, hints: draft.value.hints.length }}
              unsaved={new Set([...own, ...listSectionsWithFields(draft.changedFields)])}
              faulty={faulty}
            />
            <p className={cx('faint tiny', styles.saving)}>{t('editor.saving')}</p>
          </div>
          <div className={styles.sections}>
            <RejudgePanel gameId={game.id} title={challenge.title} rejudging={rejudging} />
            {sections.map((name) => (
              <div key={name} id={sectionId(name)} hidden={name !== current}>
                <UnsavedInputWatcher onChange={(isUnsaved) => setOwn((known) => withMember(known, name, isUnsaved))}>
                  {contents[name]}
                </UnsavedInputWatcher>
              </div>
            ))}
          </div>
        </div>
        <SaveBar
          draft={draft}
          labelOf={(field) => t(`field.${field}`)}
          busy={save.busy}
          error={refusal ? undefined : save.error}
          faulty={faultyFields}
          onShowFault={showFault}
          onSave={() => void save.run()}
        />
      </div>
      {isPreviewed && renderPreview(previewOf(draft.value, whole), () => setPreviewed(false), previewButton)}
      <TerminalDock />
    </>
  )
}

function sectionId(name: SectionName) {
  return `section-${name}`
}

function fieldsOf(faults: Partial<Record<keyof ChallengeForm, unknown>>) {
  return Object.keys(faults) as (keyof ChallengeForm)[]
}

function withMember<Member>(members: ReadonlySet<Member>, member: Member, isIn: boolean): ReadonlySet<Member> {
  return new Set(isIn ? [...members, member] : [...members].filter((other) => other !== member))
}

/** Selects the section that the address names. Also returns a function that opens the first invalid field of any section. */
function useSection(sections: readonly [SectionName, ...SectionName[]], faulty: ReadonlySet<SectionName>) {
  const { value: current, setValue } = useQueryChoice('section', sections)
  useFocusOnAddressedField()
  const [sought, setSought] = useState<SectionName>()
  useEffect(() => {
    if (sought !== current) return
    focusFirstRequiredField(document.getElementById(sectionId(current)) ?? undefined)
    setSought(undefined)
  }, [sought, current])
  // Scrolls to the top of a newly opened section.
  useEffect(() => {
    const shown = document.getElementById(sectionId(current))
    if (shown && shown.getBoundingClientRect().top < 0) shown.scrollIntoView({ block: 'start' })
  }, [current])
  const showFault = () => {
    const first = faulty.has(current) ? current : sections.find((name) => faulty.has(name))
    if (!first) return
    setSought(first)
    if (first !== current) setValue(first)
  }
  return { current, showFault }
}

/**
 * Returns the field that the server refused.
 * @returns undefined if the error names no field
 */
function refusalOf(error: unknown) {
  const field = findRefusedField<keyof ChallengeForm>(error, refusableFields, {
    flagTemplate: 'template',
    minimumShare: 'minimumPercent',
  })
  return field && { field, error }
}

function previewOf(form: ChallengeForm, whole: FullChallenge): PreviewedChallenge {
  const { challenge, solvers } = whole
  const { attachment } = challenge
  const flagPoints = pointsOfFlags(challenge.flags)
  const files = challenge.type === 'DynamicAttachment' && form.attachmentName.trim() !== ''
  return {
    title: form.title.trim() || challenge.title,
    category: form.category,
    type: challenge.type,
    content: form.description,
    labels: { tags: [...form.tags], difficulty: form.difficulty },
    hints: toStoredHints(form.hints),
    url: files ? `/${encodeURIComponent(form.attachmentName)}` : attachment ? downloadAddressOfFile(attachment) : undefined,
    fileSize: attachment && fileSizeOf(attachment, whole),
    score: flagPoints.reduce((sum, points) => sum + points, chartValueAt(toScoreCurve(form), solvers)),
    flagPoints,
    solved: solvers,
  }
}

/** Returns the number of teams that play or may still be accepted. Each of these teams needs a separate file. */
function useTeamCount(gameId: number, enabled: boolean): number {
  const { data } = useCall(operations.listParticipations, enabled ? { params: { id: gameId } } : null)
  return data?.filter(({ status }) => status === 'Accepted' || status === 'Pending').length ?? 0
}
