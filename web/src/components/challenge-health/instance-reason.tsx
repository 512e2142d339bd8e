import { instanceReasons } from '@capstan/contract/vocabulary'
import { useTranslation } from 'react-i18next'

type InstanceReasonProps = Readonly<{
  /** Code of the reason: one PascalCase word, or null if the server does not know the reason. */
  code: string | null
  /** English sentence, which is shown if there is no text for the code. */
  message: string
}>

/** Text for organizers that says why an instance failed and what to do, or what a starting instance is waiting for. */
export function InstanceReason({ code, message }: InstanceReasonProps) {
  const { t } = useTranslation('challenge-health')
  const known = instanceReasons.find((each) => each === code)
  return known === undefined ? message : t(`reason.${known}`)
}
