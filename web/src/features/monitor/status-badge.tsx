import type { AnswerResult } from '@capstan/contract/submissions'
import { CircleCheck, CircleHelp, CircleX, Clock, type LucideIcon, TimerOff, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Badge, type BadgeTone } from '../../components/ui/badge.tsx'

const looks: Readonly<Record<AnswerResult, Readonly<{ tone: BadgeTone; Icon: LucideIcon }>>> = {
  FlagSubmitted: { tone: 'brand', Icon: Clock },
  Accepted: { tone: 'ok', Icon: CircleCheck },
  WrongAnswer: { tone: 'neutral', Icon: CircleX },
  CheatDetected: { tone: 'bad', Icon: TriangleAlert },
  NotFound: { tone: 'warn', Icon: CircleHelp },
  Expired: { tone: 'neutral', Icon: TimerOff },
}

export function SubmissionStatusBadge({ status }: { readonly status: AnswerResult }) {
  const { t } = useTranslation('monitor')
  const { tone, Icon } = looks[status]
  return (
    <Badge tone={tone}>
      <Icon aria-hidden />
      {t(`status.${status}`)}
    </Badge>
  )
}

/** True if the text is the status of a submission. Events about flags contain the status as text. */
export function isSubmissionStatus(text: string): text is AnswerResult {
  return Object.hasOwn(looks, text)
}
