import type { ChallengeType } from '@capstan/contract/challenges'
import type { BloodEntry } from '@capstan/contract/scoreboard'
import { bloodTypes } from '@capstan/contract/vocabulary'
import { Box, Boxes, File, Files, type LucideIcon } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Avatar } from '../../components/ui/avatar.tsx'
import { BloodMark } from '../../components/ui/blood-mark.tsx'
import type { BloodPlace } from '../../components/ui/blood-shape.ts'
import styles from './board.module.css'

const typeIcons: Readonly<Record<ChallengeType, LucideIcon>> = {
  StaticAttachment: File,
  DynamicAttachment: Files,
  StaticContainer: Box,
  DynamicContainer: Boxes,
}

/** What a challenge comes as: files or a container. */
export function TypeIcon({ type }: { readonly type: ChallengeType }) {
  const { t } = useTranslation('challenges')
  const Icon = typeIcons[type]
  return <Icon role="img" aria-label={t(`type.${type}`)} className={styles.typeIcon} />
}

interface BloodMarksProps {
  readonly bloods: readonly BloodEntry[]
  /** Without their initials. */
  readonly isBrief?: boolean
}

/** The first three teams by their marks and initials. */
export function BloodMarks({ bloods, isBrief = false }: BloodMarksProps) {
  const { t } = useTranslation('challenges')
  if (bloods.length === 0) return null
  return (
    <span className={styles.bloods}>
      {bloods.slice(0, bloodTypes.length).map((team, index) => {
        const name = t('bloodBy', { blood: t(`blood.${bloodTypes[index] ?? 'ThirdBlood'}`), team: team.name })
        return (
          <span key={team.id} className={styles.blood}>
            <BloodMark place={(index + 1) as BloodPlace} label={name} />
            {!isBrief && <Avatar team name={team.name} src={team.avatar} size={20} />}
          </span>
        )
      })}
    </span>
  )
}
