import type { ChallengeLabels } from '@capstan/contract/challenge-labels'
import type { ChallengeCategory, ChallengeType } from '@capstan/contract/challenges'
import type { Hint } from '@capstan/contract/hints'
import { X } from 'lucide-react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { InstancePanel } from '../../components/instances/instance-panel.tsx'
import { Alert, Badge } from '../../components/ui/badge.tsx'
import { IconButton } from '../../components/ui/button.tsx'
import { useConfig } from '../../lib/config.ts'
import { Attachment } from './attachment.tsx'
import { ChallengeFrame } from './challenge-frame.tsx'
import { ChallengeWorkspaceBody } from './challenge-workspace.tsx'
import { FlagForm } from './flag-form.tsx'
import { createFlagsNotYetFound, FlagPartList } from './flag-parts.tsx'
import { HintList } from './hints.tsx'

type ChallengePreviewProps = Readonly<{
  challenge: Readonly<{
    title: string
    category: ChallengeCategory
    type: ChallengeType
    content: string
    hints: readonly Hint[]
    labels: ChallengeLabels | undefined
    url: string | undefined
    /** Size in bytes. Null for an external file. */
    fileSize: number | null
    /** Points of the challenge and of its flags. */
    score: number
    flagPoints: readonly number[]
    solved: number
  }>
  /** Label that marks the preview, with a note on its inactive parts. */
  label: string
  note: string
  onClose: () => void
  returnFocus: () => HTMLElement | null
}>

function nothing() {
  return undefined
}

/** Dialog of a challenge as a new team sees it. It sends no requests. */
export function ChallengePreview({ challenge, label, note, onClose, returnFocus }: ChallengePreviewProps) {
  const { t } = useTranslation('challenges')
  const minutes = useConfig()
  const input = useRef<HTMLInputElement>(null)
  const { title, category, type, content, hints, labels, url, fileSize, score, flagPoints, solved } = challenge
  const isContainer = type === 'StaticContainer' || type === 'DynamicContainer'
  return (
    <ChallengeFrame
      title={title}
      category={category}
      facts={{ bloods: [], score, solved }}
      mark={<Badge tone="brand">{label}</Badge>}
      steps={
        <IconButton label={t('dialog.close')} onClick={onClose}>
          <X />
        </IconButton>
      }
      onClose={onClose}
      returnFocus={returnFocus}
    >
      <ChallengeWorkspaceBody content={content} labels={labels}>
        <Alert>{note}</Alert>
        {isContainer && (
          <div inert>
            <InstancePanel
              state={{ kind: 'none' }}
              now={0}
              minutes={minutes}
              onStart={nothing}
              onStop={nothing}
              onExtend={nothing}
            />
          </div>
        )}
        {url && <Attachment url={url} size={fileSize} />}
        <HintList hints={hints} />
        <FlagPartList parts={createFlagsNotYetFound(flagPoints)} />
        <div inert className="contents">
          <FlagForm
            value=""
            onValueChange={nothing}
            answer={{ kind: 'none' }}
            isOver={false}
            isPrimary={!isContainer}
            input={input}
            onSubmit={nothing}
          />
        </div>
      </ChallengeWorkspaceBody>
    </ChallengeFrame>
  )
}
