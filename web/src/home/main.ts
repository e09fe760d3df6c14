import { createApp } from "vue";
import "../shared/base.css";
import Home from "./Home.vue";

createApp(Home).mount("#page");
