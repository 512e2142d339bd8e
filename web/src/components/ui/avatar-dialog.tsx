import { Limits } from '@capstan/contract/limits'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from './button.tsx'
import { type Crop, createCenteredCrop, cropToSquare, isCenteredCrop, loadImage } from './crop.ts'
import { Dialog } from './dialog.tsx'
import { FieldError } from './field.tsx'
import { FileDrop } from './file-drop.tsx'
import { useAction } from './form.ts'
import { ImageCrop } from './image-crop.tsx'
import { Progress } from './progress.tsx'
import { ErrorText } from './states.tsx'
import { showToast } from './toast.ts'

type AvatarDialogProps = Readonly<{
  title: string
  /** Uploads the image and reports the progress, from 0 to 1. */
  onSave: (file: File, onProgress: (share: number) => void) => Promise<void>
  onClose: () => void
}>

/**
 * Dialog that crops an image to a square and uploads it. If the user does not change the crop of a GIF, the file is uploaded
 * unmodified, because it may be animated.
 */
export function AvatarDialog({ title, onSave, onClose }: AvatarDialogProps) {
  const { t } = useTranslation()
  const [original, setOriginal] = useState<File>()
  const [image, setImage] = useState<HTMLImageElement>()
  const [crop, setCrop] = useState<Crop>()
  const [share, setShare] = useState(0)
  useEffect(() => (image ? () => URL.revokeObjectURL(image.src) : undefined), [image])
  const choose = useAction(async (file: File) => {
    if (file.size > Limits.maxImageBytes || !file.type.startsWith('image/')) throw new Error(t('avatar.unfit'))
    const loaded = await loadImage(file).catch((cause: unknown) => {
      throw new Error(`${t('avatar.failed')}. ${t('avatar.unfit')}`, { cause })
    })
    setOriginal(file)
    setImage(loaded)
    setCrop(createCenteredCrop(loaded))
  })
  const save = useAction(async () => {
    if (!original || !image || !crop) return
    const goesAsItIs = original.type === 'image/gif' && isCenteredCrop(image, crop)
    const file = goesAsItIs ? original : await cropToSquare(image, crop, Limits.avatarWidthPx)
    setShare(0)
    await onSave(file, setShare)
    showToast({ tone: 'ok', title: t('avatar.saved') })
    onClose()
  })
  const failure = choose.error ?? save.error
  return (
    <Dialog
      open
      keepOpenOutside
      onOpenChange={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button variant="primary" busy={save.busy} disabled={!image} onClick={() => void save.run()}>
            {t('avatar.save')}
          </Button>
        </>
      }
    >
      <div className="stack">
        {image && crop ? (
          <div className="stack centered">
            <ImageCrop image={image} crop={crop} onCropChange={setCrop} label={t('avatar.area')} zoomLabel={t('avatar.zoom')} />
            <Button
              size="small"
              variant="ghost"
              onClick={() => {
                save.reset()
                setImage(undefined)
              }}
            >
              {t('avatar.other')}
            </Button>
          </div>
        ) : (
          <FileDrop
            label={t('avatar.drop')}
            hint={t('avatar.hint')}
            accept="image/*"
            onFiles={([file]) => void (file && choose.run(file))}
          />
        )}
        {failure !== undefined && (
          <FieldError>
            <ErrorText error={failure} />
          </FieldError>
        )}
        {save.busy && <Progress label={t('avatar.sent')} value={share} />}
      </div>
    </Dialog>
  )
}
