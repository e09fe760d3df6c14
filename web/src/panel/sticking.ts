/**
 * Keeping the newest in sight: what grows at its end is scrolled along, unless somebody has scrolled up to read.
 */

import { nextTick, onMounted, onUnmounted, type Ref, watch } from "vue";

const NEAR = 48;

/** Whether the end is in sight, or nearly. */
export function atEnd(box: { scrollTop: number; scrollHeight: number; clientHeight: number }): boolean {
  return box.scrollHeight - box.scrollTop - box.clientHeight <= NEAR;
}

/** Scroll the box along when `grown` changes. */
export function useSticking(box: Readonly<Ref<HTMLElement | null>>, grown: () => unknown): void {
  let sticks = true;
  const scrolled = () => {
    if (box.value !== null) sticks = atEnd(box.value);
  };
  onMounted(() => box.value?.addEventListener("scroll", scrolled, { passive: true }));
  onUnmounted(() => box.value?.removeEventListener("scroll", scrolled));
  watch(grown, () => {
    if (!sticks) return;
    void nextTick(() => {
      if (box.value !== null) box.value.scrollTop = box.value.scrollHeight;
    });
  });
}
