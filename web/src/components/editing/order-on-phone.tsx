import { ArrowDown, ArrowUp } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../ui/button.tsx'
import type { Order } from '../ui/data-table.tsx'
import { Select } from '../ui/input.tsx'
import { PhoneOnly } from '../ui/toolbar.tsx'

type OrderOnPhoneProps = Readonly<{
  order: Order
  /** Columns for sorting, with their labels. */
  options: readonly (readonly [by: string, label: string])[]
}>

/** Select for the sort order of a list. It appears only on phones, where tables have no column headers to click. */
export function SortOrderSelect({ order, options }: OrderOnPhoneProps) {
  const { t } = useTranslation('editing')
  return (
    <PhoneOnly>
      <Select
        aria-label={t('orderBy')}
        value={order.by}
        onValueChange={(by) => order.onOrder(by, order.descending)}
        options={options.map(([value, label]) => ({ value, label }))}
      />
      <IconButton
        label={order.descending ? t('descending') : t('ascending')}
        variant="secondary"
        onClick={() => order.onOrder(order.by, !order.descending)}
      >
        {order.descending ? <ArrowDown /> : <ArrowUp />}
      </IconButton>
    </PhoneOnly>
  )
}
