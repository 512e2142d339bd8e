import type { ChallengeCategory, ChallengeType } from '@capstan/contract/challenges'
import { InputLimits } from '@capstan/contract/limits'
import { operations } from '@capstan/contract/operations'
import { Box, Boxes, File, Files } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { categories } from '../../components/ui/category.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Field } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { FormDialog } from '../../components/ui/form-dialog.tsx'
import { Input, Select } from '../../components/ui/input.tsx'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { call } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { refreshCall } from '../../lib/server-state.ts'
import styles from './challenge-list.module.css'

const types = [
  ['StaticAttachment', File],
  ['DynamicAttachment', Files],
  ['StaticContainer', Box],
  ['DynamicContainer', Boxes],
] as const satisfies readonly (readonly [ChallengeType, unknown])[]

type CreateChallengeProps = Readonly<{
  gameId: number
  onClose: () => void
}>

export function CreateChallengeForm({ gameId, onClose }: CreateChallengeProps) {
  const { t } = useTranslation(['admin-challenges', 'common'])
  const navigate = useNavigate()
  const typeGroup = useId()
  const first = useRef<HTMLInputElement>(null)
  const [title, setTitle] = useState('')
  const [category, setCategory] = useState<ChallengeCategory>('Misc')
  const [type, setType] = useState<ChallengeType>('StaticAttachment')
  const [isChecked, setChecked] = useState(false)
  const create = useAction(async () => {
    const made = await call(operations.createChallenge, { params: { id: gameId }, body: { title: title.trim(), category, type } })
    await navigate(paths.adminGameChallenge.to(gameId, made.id))
    await refreshCall(operations.adminListChallenges, { params: { id: gameId } })
  })
  const refusal = toFormRefusal(create.error, ['title'])
  const submit = () => {
    setChecked(true)
    return title.trim() === '' ? undefined : create.run()
  }
  return (
    <FormDialog
      keepOpenOutside
      size="large"
      initialFocus={first}
      title={t('admin-challenges:create.title')}
      description={t('admin-challenges:create.text')}
      submitLabel={t('admin-challenges:create.submit')}
      busy={create.busy}
      noValidate
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label={t('admin-challenges:field.title')}
        error={isChecked && title.trim() === '' ? t('admin-challenges:fault.titleMissing') : refusal.of('title')}
      >
        {(control) => (
          <Input
            {...control}
            ref={first}
            value={title}
            maxLength={InputLimits.maxTitleLength}
            onChange={(event) => setTitle(event.target.value)}
          />
        )}
      </Field>
      <Field label={t('admin-challenges:field.category')}>
        {(control) => (
          <Select
            {...control}
            value={category}
            onValueChange={setCategory}
            options={categories.map((value) => ({ value, label: value }))}
          />
        )}
      </Field>
      <fieldset className={cx('tiles gap-2', styles.choices)}>
        <legend>{t('admin-challenges:create.type')}</legend>
        {types.map(([value, Icon]) => (
          <label key={value} className={cx('line start gap-3 box', styles.choice)}>
            <input type="radio" name={typeGroup} checked={type === value} onChange={() => setType(value)} />
            <Icon aria-hidden className="muted" />
            <span className="stack gap-0">
              <strong>{t(`admin-challenges:type.${value}`)}</strong>
              <span className="muted tiny">{t(`admin-challenges:typeHint.${value}`)}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {refusal.rest}
    </FormDialog>
  )
}
