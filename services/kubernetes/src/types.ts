/** The few shapes of Kubernetes objects that this toolkit needs, as JSON has them (instants are RFC 3339 texts). */

export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
}

/** Metadata of an object that exists. */
export interface ObjectMeta {
  name: string
  namespace?: string
  uid: string
  resourceVersion: string
  generation?: number
  creationTimestamp: string
  deletionTimestamp?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
  finalizers?: string[]
  ownerReferences?: OwnerReference[]
}

/** Without who wrote which field: often half of an object, and never read here. */
export function slimMetadata(metadata: ObjectMeta): ObjectMeta {
  const { managedFields, ...slim } = metadata as ObjectMeta & { managedFields?: unknown }
  return managedFields === undefined ? metadata : slim
}

/** An object as the API server told it. */
export interface KubeObject {
  apiVersion?: string
  kind?: string
  metadata: ObjectMeta
}

/** An object as we want it: only fields that we manage. */
export interface DesiredObject {
  apiVersion: string
  kind: string
  metadata: {
    name: string
    namespace: string
    labels?: Record<string, string>
    annotations?: Record<string, string>
    ownerReferences?: OwnerReference[]
  }
  spec?: unknown
}

/** Where the API server keeps objects of one kind. `T` is their shape. */
export interface Resource<T extends KubeObject = KubeObject> {
  apiVersion: string
  kind: string
  plural: string
  /** Never set: it ties the shape to the descriptor. */
  shape?: T
}

/** `namespace/name`, or the bare name of a cluster-wide object. */
export type ObjectKey = string

/** Key under which caches and queues know an object. */
export const keyOf = (object: { metadata: { name: string; namespace?: string } }): ObjectKey =>
  object.metadata.namespace === undefined ? object.metadata.name : `${object.metadata.namespace}/${object.metadata.name}`

/** Path of a collection, or of one object (and its subresource) in it. */
export function resourcePath(resource: Resource, namespace?: string, name?: string, subresource?: string): string {
  const root = resource.apiVersion.includes('/') ? `/apis/${resource.apiVersion}` : `/api/${resource.apiVersion}`
  const parts = [root]
  if (namespace !== undefined) parts.push('namespaces', encodeURIComponent(namespace))
  parts.push(resource.plural)
  if (name !== undefined) parts.push(encodeURIComponent(name))
  if (subresource !== undefined) parts.push(subresource)
  return parts.join('/')
}

/** UID of the object that controls this one, if any does. */
export const controllerUid = (object: { metadata: { ownerReferences?: OwnerReference[] } }): string | undefined =>
  object.metadata.ownerReferences?.find((reference) => reference.controller === true)?.uid
