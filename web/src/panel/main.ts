import { createApp } from "vue";
import "../shared/base.css";
import Panel from "./Panel.vue";

createApp(Panel).mount("#page");
