import { hasUserNameLength } from '@capstan/contract/account-rules'
import { Limits } from '@capstan/contract/limits'
import { useTranslation } from 'react-i18next'
import { useLengthFault } from './refusal.tsx'

/** Returns a function that checks a user name in the browser. The function returns undefined if the name is valid. */
export function useUserNameFault(): (typed: string) => string | undefined {
  const { t } = useTranslation()
  const lengthFault = useLengthFault()
  return (typed) => {
    const name = typed.trim()
    const fault = lengthFault(name, Limits.minUserNameLength, Limits.maxUserNameLength)
    return fault ?? (hasUserNameLength(name) ? undefined : t('field.checkInput'))
  }
}
