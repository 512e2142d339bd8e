/** Size of an image, in pixels. */
type ImageSize = Readonly<{
  naturalWidth: number
  naturalHeight: number
}>

/**
 * Square crop: its center in image pixels, and its zoom. At zoom 1, each side of the crop is as long as the shorter side of the
 * image.
 */
export type Crop = Readonly<{
  x: number
  y: number
  zoom: number
}>

export const maxZoom = 6

/** Returns the largest square in the center. */
export function createCenteredCrop(image: ImageSize): Crop {
  return { x: image.naturalWidth / 2, y: image.naturalHeight / 2, zoom: 1 }
}

/** True if the crop is still the initial one: the largest square in the center of the image. */
export function isCenteredCrop(image: ImageSize, crop: Crop): boolean {
  const { x, y, zoom } = createCenteredCrop(image)
  return crop.x === x && crop.y === y && crop.zoom === zoom
}

export function sideLengthOfCrop(image: ImageSize, crop: Crop): number {
  return Math.min(image.naturalWidth, image.naturalHeight) / crop.zoom
}

function between(low: number, value: number, high: number) {
  return Math.min(high, Math.max(low, value))
}

export function limitCropToImage(image: ImageSize, crop: Crop): Crop {
  const zoom = between(1, crop.zoom, maxZoom)
  const half = sideLengthOfCrop(image, { ...crop, zoom }) / 2
  return {
    x: between(half, crop.x, image.naturalWidth - half),
    y: between(half, crop.y, image.naturalHeight - half),
    zoom,
  }
}

export async function loadImage(file: File): Promise<HTMLImageElement> {
  const image = new Image()
  image.src = URL.createObjectURL(file)
  try {
    await image.decode()
    return image
  } catch (error) {
    URL.revokeObjectURL(image.src)
    throw error
  }
}

/** Returns the crop as a file of `width` x `width` pixels: WebP, or PNG if the browser cannot write WebP. */
export async function cropToSquare(image: HTMLImageElement, crop: Crop, width: number): Promise<File> {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = width
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser cannot cut images')
  const side = sideLengthOfCrop(image, crop)
  context.imageSmoothingQuality = 'high'
  context.drawImage(image, crop.x - side / 2, crop.y - side / 2, side, side, 0, 0, width, width)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/webp', 0.92))
  if (!blob) throw new Error('This browser cannot cut images')
  return new File([blob], `image.${blob.type.split('/')[1]}`, { type: blob.type })
}
