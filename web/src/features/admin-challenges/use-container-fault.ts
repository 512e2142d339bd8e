import { useTranslation } from 'react-i18next'
import type { FormFault, FormFaults } from './container-faults.ts'
import type { TypedContainer } from './containers-form.ts'

/** Returns a function that returns the error message of a container field. */
export function useContainerFault(faults: FormFaults): (field: keyof TypedContainer) => string | undefined {
  const { t } = useTranslation('admin-container')
  const wordsOf = ({ fault, line }: FormFault) => {
    const words = t(`fault.${fault}`)
    return line === undefined ? words : t('line', { line, words })
  }
  return (field) => {
    const found = faults[field]
    return found && wordsOf(found)
  }
}
